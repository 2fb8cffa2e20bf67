/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PERF_RAW_TRACEPOINT_H
#define PERF_RAW_TRACEPOINT_H

struct env;
struct err;
/*
 * Inside the folder: the names of raw tracepoints, for each of which the kernel, or the module it is in, has a type
 * btf_trace_NAME. -ENOENT with a sentence: there is none of this name; 0 also where that cannot be told.
 */
int raw_tracepoint_check(struct env *env, const char *name, struct err *e);
/* The sentence, with names near it where they are known: -ENOENT. */
int raw_tracepoint_missing(struct env *env, const char *name, struct err *e);

#endif
