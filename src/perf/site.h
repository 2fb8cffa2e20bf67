/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PERF_SITE_H
#define PERF_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/abi.h"
#include "kernel/hooks.h"

struct env;
struct err;
/* Inside the folder: WHERE and WHAT of tracing, taken apart. */
struct trace_site {
	const struct hook *hook; /* of HOOK_EVENT */
	const char *category;	 /* of a tracepoint; NULL: not said */
	const char *name;	 /* tracepoint, function, absolute path; NULL: a kprobe at an address */
	uint64_t offset;	 /* of probes: from the function, or the start of the file */
	uint64_t addr;
	uint32_t type; /* of perf_event_open(2), for TRACE_PERF_EVENT */
	uint64_t config;
};
static inline bool trace_is_uprobe(const struct hook *h)
{
	return h->arg == ABI_PERF_UPROBE || h->arg == ABI_PERF_URETPROBE;
}
static inline bool trace_is_kprobe(const struct hook *h)
{
	return h->arg == ABI_PERF_KPROBE || h->arg == ABI_PERF_KRETPROBE;
}
/*
 * -ENOENT without a sentence: @what is no word of ours. Functions in files are looked up in the files. Strings in
 * env->keep.
 */
int trace_site_parse(struct env *env, const char *where, const char *what, struct trace_site *ret, struct err *e);
/* The number of a sort of perf event that the kernel gave it; -ENOENT: it has none such. */
int trace_pmu(struct env *env, const char *name, uint32_t *ret);

#endif
