/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include "cgroup/cgroup.h"
#include "cgroup/commands.h"

const struct command *const cgroup_commands[] = {
	&cgroup_show, &cgroup_list, &cgroup_tree_command, &cgroup_attach, &cgroup_detach, NULL,
};
