/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct machine;
/* The unit and container of a process, by its cgroup. */
struct task_place {
	const char *cgroup; /* path below the root of its hierarchy (cgroup v2, else systemd's); NULL: none */
	const char *unit; /* service, scope or slice of systemd; NULL: none. One of a user's or a container's systemd is
			     named after what runs that: "user@1000.service/pipewire.service" */
	const char *service;   /* the unit if it is a service that its systemd can stop; NULL: another unit, or in a
				  container */
	const char *user;      /* number of the user whose systemd that is; NULL: the system's */
	const char *container; /* id or name of the innermost container in the path, as its runtime spells it; NULL:
				  none, or an unknown runtime */
};
/*
 * Parses the text of /proc/PID/cgroup (cgroups(7)) in place. Containers are recognized by the names that docker,
 * podman, containerd, CRI-O (64 hexadecimal digits), LXC and systemd-nspawn give their cgroups. The strings are in the
 * arena.
 */
void task_place_parse(char *text, struct arena *a, struct task_place *ret);

/*
 * That of a process of the machine, read once. NULL: it has gone, or the answer was refused, which the machine has
 * noted.
 */
const struct task_place *facts_task_place(struct machine *m, uint32_t pid);
