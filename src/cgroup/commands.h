/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CGROUP_COMMANDS_H
#define CGROUP_COMMANDS_H

struct command;
extern const struct command cgroup_show, cgroup_list, cgroup_tree_command, cgroup_attach, cgroup_detach;

#endif
