/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * What the kernel and programs (bpf_trace_printk()) print from now on; each line goes to only one reader. A
 * non-blocking descriptor, or -errno.
 */
int tracefs_pipe(void);
int tracefs_events(struct str *ret); /* append "CATEGORY:NAME\n" for each tracepoint */
/*
 * The number of a tracepoint for perf_event_open(2). @category NULL: any; -ENOTUNIQ: several have this name. -ENOENT.
 */
int tracefs_event_id(const char *category, const char *name, uint32_t *ret);
/* Append the text of its format file: a line "\tfield:TYPE NAME;..." for each member of its record. -ENOENT. */
int tracefs_event_format(const char *category, const char *name, struct str *ret);
/* Is it the event of a kprobe or uprobe (kprobe_events, uprobe_events)? The kernel runs programs of type kprobe there.
 */
bool tracefs_event_is_probe(const char *category, const char *name);
