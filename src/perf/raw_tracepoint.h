/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct env;
struct err;
/*
 * Inside the folder: names of raw tracepoints. The kernel or the module that has the tracepoint has a type
 * btf_trace_NAME. -ENOENT with a message: there is no raw tracepoint of this name. 0: there is one, or that is unknown.
 */
int raw_tracepoint_check(struct env *env, const char *name, struct err *e);
/* Sets the message, with similar names if they are known. Returns -ENOENT. */
int raw_tracepoint_missing(struct env *env, const char *name, struct err *e);
