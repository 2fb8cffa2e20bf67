/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/perf/ring.h"

struct perf_event_attr;
/* A perf event of all tasks and its ring, for each online CPU. Zeroed: closed. */
struct perf_cpu {
	int event;
	struct perf_ring ring;
	uint64_t lost; /* records that the ring reported as lost; counted by the reader */
};
struct perf_cpus {
	struct perf_cpu *cpu;
	unsigned n;
};
/* Open the event of one CPU: a descriptor or -errno; ENODEV: the CPU is offline. */
typedef int perf_cpu_open(const void *ctx, int cpu);
/*
 * @size: bytes of each ring, rounded up as by perf_ring_size(). 0, or -errno with nothing open: the result of @open, or
 * ENODEV: no CPU.
 */
int perf_cpus_open(struct perf_cpus *ret, perf_cpu_open *open, const void *ctx, size_t size);
void perf_cpus_close(struct perf_cpus *p);
/* perf_event_open(2) for all tasks on one CPU. A descriptor, close-on-exec, or -errno. */
int perf_cpu_event(struct perf_event_attr *attr, int cpu);
