/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_TRACEFS_H
#define HOST_TRACEFS_H

#include <stdint.h>

struct str;
/*
 * The tracefs: where it is mounted, by itself or in debugfs; else an instance that no path leads to, which goes with
 * its descriptor, so that nothing is mounted for anybody. That needs CAP_SYS_ADMIN.
 */
int tracefs_open(void); /* descriptor of its root, or -errno */
/* What the kernel and programs (bpf_trace_printk()) print, from now on: each line goes to one reader only. A descriptor
 * that does not block. */
int tracefs_pipe(void);
int tracefs_events(struct str *ret); /* "CATEGORY:NAME\n" of each tracepoint */
/* The number perf_event_open(2) wants. @category NULL: whichever has it; -ENOTUNIQ: several do. -ENOENT. */
int tracefs_event_id(const char *category, const char *name, uint32_t *ret);

#endif
