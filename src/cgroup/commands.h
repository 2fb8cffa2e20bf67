/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

extern const struct command cgroup_show, cgroup_list, cgroup_tree_command, cgroup_attach, cgroup_detach;

/* Completes a path by one cgroup, as a shell does with directories. */
arg_offers cgroup_offer;
