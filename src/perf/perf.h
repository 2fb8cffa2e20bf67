/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PERF_PERF_H
#define PERF_PERF_H

/* `perf show|list`: perf events and tracepoints that run programs, live or saved. */
struct command; struct schema; struct place;
extern const struct command *const perf_commands[];
extern const struct schema perf_schema;
/* Tracing: perf events, tracepoints, probes, and functions that programs run at. */
extern const struct place place_trace;

#endif
