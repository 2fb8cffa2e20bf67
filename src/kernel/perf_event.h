/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PERF_EVENT_H
#define KERNEL_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* Making perf events and raw tracepoints that run a program. Descriptors, close-on-exec, or -errno. */
struct perf_wish {
	uint32_t type;
	uint64_t config, config1, config2;
	uint64_t period, frequency; /* one of them, or none */
	int32_t pid, cpu;	    /* -1: any; not both */
	bool kernel;		    /* what happens in user space does not count */
};
int perf_event_make(const struct perf_wish *wish);
/* A link that holds the event: @event may be closed then. */
int perf_event_link(int event, int prog, uint64_t cookie);
/* The descriptor is a link. @cookie 0: none, which all kernels know. @name NULL: where the program was loaded for
 * (fentry). */
int raw_tracepoint_link(const char *name, int prog, uint64_t cookie);

#endif
