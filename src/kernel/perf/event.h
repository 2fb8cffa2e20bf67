/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Creating perf events and raw tracepoints that run a program. Descriptors, close-on-exec, or -errno. */
struct perf_wish {
	uint32_t type;
	uint64_t config, config1, config2;
	uint64_t period, frequency; /* at most one of them is set */
	int32_t pid, cpu;	    /* -1: any; not both */
	bool kernel;		    /* do not count in user space */
};
int perf_event_make(const struct perf_wish *wish);
/* Create a link that holds the event, so @event may be closed afterwards. */
int perf_event_link(int event, int prog, uint64_t cookie);
/* One link for @n places of a file, since Linux 6.6, for a program that was loaded for such links; else -EINVAL. */
struct uprobe_places {
	const char *path;
	const uint64_t *offsets, *counters, *cookies; /* counters: offsets of semaphores; 0: none */
	uint32_t n, pid;			      /* pid 0: any */
};
int uprobe_multi_link(int prog, const struct uprobe_places *p);
/*
 * Returns the descriptor of a link. @cookie 0: none, as on older kernels. @name NULL: the function that the program was
 * loaded for (fentry).
 */
int raw_tracepoint_link(const char *name, int prog, uint64_t cookie);
