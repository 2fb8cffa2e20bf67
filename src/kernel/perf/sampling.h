/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Samples of where the CPUs are, a number of times per second, by the hardware's cycle counter or, without one, by the
 * CPU's clock. An idle CPU is not sampled. One event and one ring for each online CPU.
 */
struct sample {
	uint64_t time;	   /* ns, CLOCK_BOOTTIME */
	uint64_t ip;	   /* the instruction; with cpu-clock, the one that is executed after the interrupt */
	uint32_t pid, tid; /* in our process namespace; UINT32_MAX: the task is exiting */
	uint32_t cpu;
	bool user;	   /* in user space; then there are no callers */
	uint16_t ncallers; /* return addresses in the kernel, the innermost first */
	const uint64_t *callers;
};

/*
 * `perf record` takes 4000 per second by default. A rate that does not divide those of timers avoids running in step
 * with them.
 */
#define SAMPLING_HZ 999

/*
 * 0, or -errno: EACCES, EPERM: CAP_PERFMON is needed (before 5.8 CAP_SYS_ADMIN); EINVAL: more than
 * kernel.perf_event_max_sample_rate.
 */
struct sampling;
int sampling_error(int err, struct err *e); /* sets message and hint; returns e->code */
int sampling_open(struct sampling **ret, uint32_t hz);
void sampling_close(struct sampling **s);
const char *sampling_event(const struct sampling *s); /* "cycles", "cpu-clock" */

/*
 * Pass the samples taken so far to @handle, CPU by CPU; does not wait. A ring has room for some seconds at SAMPLING_HZ.
 * The sample and what it points to are valid until @handle returns.
 */
typedef void sampling_handler(void *ctx, const struct sample *s);
void sampling_read(struct sampling *s, sampling_handler *handle, void *ctx);

/* Counts so far. */
struct sampling_count {
	uint64_t passed;
	uint64_t lost;	    /* samples that had no room in a ring */
	uint64_t bad;	    /* records of an impossible length */
	uint64_t throttled; /* how often the kernel stopped a CPU's event for the rest of a tick */
	unsigned cpus;
};
struct sampling_count sampling_count(const struct sampling *s);

/* Decode one PERF_RECORD_SAMPLE of an event of sampling_open(); its time is as in the event. 0; -EBADMSG. */
int sampling_parse(const void *p, size_t n, struct sample *ret);
/*
 * Set the sample's callers in the kernel from a call chain (PERF_SAMPLE_CALLCHAIN), which begins with the instruction
 * itself; marks (PERF_CONTEXT_*) precede the kernel's and the user's part. ret->callers points into @chain.
 */
void sampling_callers(const uint64_t *chain, uint64_t n, struct sample *ret);
