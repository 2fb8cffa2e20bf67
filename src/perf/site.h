/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "host/elf/usdt.h"

struct env;
/* Inside the folder: WHERE and WHAT of tracing, parsed. */
struct trace_site {
	const struct hook *hook; /* of HOOK_EVENT */
	const char *category;	 /* of a tracepoint; NULL: not given */
	const char *name;	 /* tracepoint, function, absolute path; NULL: a kprobe at an address */
	uint64_t offset;	 /* of probes: bytes from the function, or from the start of the file */
	uint64_t addr;
	struct usdt_file usdt; /* of a USDT probe: its places in the file, of which offset is the first */
	uint32_t type;	       /* of perf_event_open(2), if the hook is a perf_event */
	uint64_t config;
};
static inline bool trace_is_uprobe(const struct hook *h)
{
	return h->arg == ABI_PERF_UPROBE || h->arg == ABI_PERF_URETPROBE || h->arg == HOOK_USDT;
}
static inline bool trace_is_kprobe(const struct hook *h)
{
	return h->arg == ABI_PERF_KPROBE || h->arg == ABI_PERF_KRETPROBE;
}
/*
 * Functions in files are looked up in the files. Strings are in env->keep. -ENOENT without a message: @what is not a
 * hook of tracing.
 */
int trace_site_parse(struct env *env, const char *where, const char *what, struct trace_site *ret, struct err *e);
/* The number that the kernel gave to a type of perf event; -ENOENT: there is no such type. */
int trace_pmu(struct env *env, const char *name, uint32_t *ret);
