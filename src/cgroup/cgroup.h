/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CGROUP_CGROUP_H
#define CGROUP_CGROUP_H

/* Programs attached to cgroups: the verbs of the group `cgroup`, what its lists show, and the place where programs run.
 */
struct command;
struct schema;
struct place;
struct env;
extern const struct command *const cgroup_commands[];
extern const struct schema cgroup_schema;
extern const struct place place_cgroup;
/* Asks everything about all cgroups, for `save`. */
void cgroup_save(struct env *env);

#endif
