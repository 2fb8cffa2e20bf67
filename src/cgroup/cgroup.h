/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in read.c. */

/* Programs attached to cgroups: the verbs of the group `cgroup`, the fields of its lists, and the place for `attach`.
 */
struct command;
struct schema;
struct place;
struct env;
extern const struct command *const cgroup_commands[];
extern const struct schema cgroup_schema;
extern const struct place place_cgroup;
/* Asks all questions about all cgroups, for `save`. */
void cgroup_save(struct env *env);
