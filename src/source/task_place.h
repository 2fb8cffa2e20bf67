/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_TASK_PLACE_H
#define SOURCE_TASK_PLACE_H

#include <stdint.h>

struct arena;
struct machine;
/* The unit and container of a process, by its cgroup. */
struct task_place {
	const char *cgroup;    /* path below the root of its hierarchy (cgroup v2, else systemd's); NULL: none */
	const char *unit;      /* innermost service, scope or slice of systemd in the path; NULL: none */
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

#endif
