/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_SAMPLING_H
#define KERNEL_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the CPUs are, so many times a second: cycles of the hardware, or the CPU's clock where it counts none. An idle
 * CPU is not sampled. One event and one ring for each CPU that is online.
 */
struct sample {
	uint64_t time;	   /* ns, CLOCK_BOOTTIME */
	uint64_t ip;	   /* the instruction; by the clock the one that goes on behind the interrupt */
	uint32_t pid, tid; /* in our process namespace; UINT32_MAX: it is ending */
	uint32_t cpu;
	bool user;	   /* not in the kernel: then nobody who called */
	uint16_t ncallers; /* return addresses in the kernel, the innermost first */
	const uint64_t *callers;
};

/*
 * `perf record` takes 4000 a second without being asked. A number that is no divisor of the timers' keeps it from
 * running in step with them.
 */
#define SAMPLING_HZ 999

/* 0, or -errno: EACCES, EPERM: needs CAP_PERFMON (or CAP_SYS_ADMIN before 5.8); EINVAL: more than
 * kernel.perf_event_max_sample_rate. */
struct sampling;
struct err;
int sampling_failed(int err, struct err *e); /* the sentence for it, and a hint; returns e->code */
int sampling_open(struct sampling **ret, uint32_t hz);
void sampling_close(struct sampling **s);
const char *sampling_event(const struct sampling *s); /* "cycles", "cpu-clock" */

/*
 * Those that are there now, CPU after CPU; never waits. A ring has room for some seconds at SAMPLING_HZ. The sample and
 * what it points to live until the call returns.
 */
typedef void sampling_heard(void *ctx, const struct sample *s);
void sampling_read(struct sampling *s, sampling_heard *heard, void *ctx);

/* Up to now: */
struct sampling_count {
	uint64_t told;
	uint64_t lost;	    /* there was no room for them in a ring */
	uint64_t bad;	    /* of a length that cannot be */
	uint64_t throttled; /* how often the kernel stopped a CPU's event for the rest of a tick */
	unsigned cpus;
};
struct sampling_count sampling_count(const struct sampling *s);

/* Decodes one PERF_RECORD_SAMPLE as sampling_open() asks for; its time as the event has it. 0; -EBADMSG. */
int sampling_parse(const void *p, size_t n, struct sample *ret);
/*
 * The callers of a sample in the kernel, of a chain as PERF_SAMPLE_CALLCHAIN has it: it begins with the instruction
 * itself, and marks (PERF_CONTEXT_*) between its parts say whose they are. Points into @chain.
 */
void sampling_callers(const uint64_t *chain, uint64_t n, struct sample *ret);

#endif
