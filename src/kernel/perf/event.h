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
/*
 * Returns the descriptor of a link. @cookie 0: none, as on older kernels. @name NULL: the function that the program was
 * loaded for (fentry).
 */
int raw_tracepoint_link(const char *name, int prog, uint64_t cookie);
