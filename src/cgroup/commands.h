/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CGROUP_COMMANDS_H
#define CGROUP_COMMANDS_H

#include "cli/command.h"

extern const struct command cgroup_show, cgroup_list, cgroup_tree_command, cgroup_attach, cgroup_detach;

/* Completes a path by one cgroup, as a shell does with directories. */
arg_offers cgroup_offer;

#endif
