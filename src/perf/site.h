/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PERF_SITE_H
#define PERF_SITE_H

#include <stdbool.h>
#include <stdint.h>

struct env; struct err;
/* Inside the folder: WHERE and WHAT of tracing, taken apart. */
enum trace_hook {
	TRACE_TRACEPOINT, TRACE_RAW_TRACEPOINT, TRACE_PERF_EVENT, TRACE_KPROBE, TRACE_KRETPROBE, TRACE_UPROBE, TRACE_URETPROBE,
};
/* trace_hooks[] (perf.h) are their words. */
struct trace_site {
	enum trace_hook hook;
	const char *category;		/* of a tracepoint; NULL: not said */
	const char *name;		/* tracepoint, function, absolute path; NULL: a kprobe at an address */
	uint64_t offset;		/* of probes: from the function, or the start of the file */
	uint64_t addr;
	uint32_t type;			/* of perf_event_open(2), for TRACE_PERF_EVENT */
	uint64_t config;
};
static inline bool trace_is_uprobe(enum trace_hook h) { return h == TRACE_UPROBE || h == TRACE_URETPROBE; }
static inline bool trace_is_kprobe(enum trace_hook h) { return h == TRACE_KPROBE || h == TRACE_KRETPROBE; }
/*
 * -ENOENT without a sentence: @what is no word of ours. Functions in files are looked up in the files. Strings in env->keep.
 */
int trace_site_parse(struct env *env, const char *where, const char *what, struct trace_site *ret, struct err *e);
/* The number of a sort of perf event that the kernel gave it; -ENOENT: it has none such. */
int trace_pmu(struct env *env, const char *name, uint32_t *ret);

#endif
