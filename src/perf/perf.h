/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in detach.c. */

/* `perf show|list`: perf events and tracepoints that run programs, on any machine. */
#include "base/base.h"

struct env;
struct command;
struct schema;
struct place;
struct change_rec;
extern const struct command *const perf_commands[];
extern const struct schema perf_schema;
/* Tracing: perf events, tracepoints, probes, and functions that programs run at. */
extern const struct place place_trace;
/* Detaches a program from a place, which is named as for attach(). *ret: what was done. -EOPNOTSUPP: a process holds
 * the attachment by a descriptor. */
int trace_detach(struct env *env, uint32_t prog_id, const char *where, const char *what, bool dry_run,
		 struct change_rec *ret, struct err *e);
