/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/image.h"
#include "own/probe/types.h"

/* State for asking the verifier. */
struct probe_try {
	const struct image *image; /* probe.bpf.c */
	uint32_t ifindex;
	int alive;	      /* a socket to report answers to; -1: none */
	uint64_t reported_at; /* time of the last report, ns of CLOCK_MONOTONIC; 0: none yet */
	char log[32 << 10];   /* the verifier's last log */
};

enum { PROBE_UNKNOWN, PROBE_NO, PROBE_YES };
#define PROBE_HELPERS 220 /* ids that are tried; there are 212 helpers, and there will be no more */
#define PROBE_PARAMS_NONE 255

/* Does the kernel accept a template (probe.bpf.c) loaded that way? 0 or -errno; -EINVAL: it does not know it. */
int probe_template(struct probe_try *t, const struct probe_way *way, const char *name);
/*
 * Is there such a type? 0 or -errno, as above. *ret_taken: are programs loaded that way also accepted? A type may be
 * there and refuse the program tried here.
 */
int probe_way_try(struct probe_try *t, const struct probe_way *way, bool *ret_taken);
/* Does the kernel accept more than 4096 instructions? 0 or -errno. */
int probe_large(struct probe_try *t, const struct probe_way *way);

/* May a program loaded that way call a helper? PROBE_YES, PROBE_NO or PROBE_UNKNOWN. */
uint8_t probe_helper(struct probe_try *t, const struct probe_way *way, uint32_t id);
/*
 * The same for a function of the kernel, by its type id. PROBE_NO also for one that is only for programs that may
 * sleep, if programs loaded that way may not.
 */
uint8_t probe_kfunc(struct probe_try *t, const struct probe_way *way, uint32_t id);
/* The first id from @known on without a helper in the kernel, at most PROBE_HELPERS. */
uint32_t probe_helpers_end(struct probe_try *t, const struct probe_way *way, uint32_t known);
/*
 * Get the number of parameters of each helper with @ask[id] from the verifier's log, in one load (since Linux 6.15).
 * ret[id] is 5 also for an unknown helper; PROBE_PARAMS_NONE: not in the log.
 */
void probe_params(struct probe_try *t, const struct probe_way *way, const bool *ask, uint8_t *ret);
/* The same from a given log. */
void probe_params_read(const char *log, uint8_t *ret);
