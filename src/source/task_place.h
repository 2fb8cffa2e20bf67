/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_TASK_PLACE_H
#define SOURCE_TASK_PLACE_H

#include <stdint.h>

struct arena;
struct machine;
/* Where a process belongs, by its cgroup. */
struct task_place {
	const char *cgroup;    /* path below the root of its hierarchy (cgroup v2; without it systemd's); NULL: it is in
				  none */
	const char *unit;      /* innermost service, scope or slice of systemd in the path; NULL: there is none */
	const char *container; /* id or name of the innermost container in the path, as its runtime spells it; NULL:
				  none that is known */
};
/*
 * From the text of /proc/PID/cgroup (cgroups(7)), which is taken apart in place. Containers are told by the names that
 * docker, podman, containerd, CRI-O (64 hexadecimal digits), LXC and systemd-nspawn give their cgroups. The strings are
 * in the arena.
 */
void task_place_parse(char *text, struct arena *a, struct task_place *ret);

/* Of a process of the machine, asked once. NULL: it is gone, or the answer was refused, which the machine has noted. */
const struct task_place *facts_task_place(struct machine *m, uint32_t pid);

#endif
