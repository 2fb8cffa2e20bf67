/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_PROBE_TRY_H
#define OWN_PROBE_TRY_H

#include <stdbool.h>
#include <stdint.h>

#include "own/image.h"
#include "own/probe_types.h"

/* One question to the verifier. */
struct probe_try {
	const struct image *image; /* probe.bpf.c */
	uint32_t ifindex;
	int alive;	    /* a socket that is told that there are answers; -1: none */
	uint64_t told;	    /* when: nanoseconds, CLOCK_MONOTONIC; 0: not yet */
	char log[32 << 10]; /* what the verifier said last */
};

enum { PROBE_UNKNOWN, PROBE_NO, PROBE_YES };
#define PROBE_HELPERS 220 /* ids that are asked for; there are 212, and there will be no more */
#define PROBE_PARAMS_NONE 255

/* Is a template (probe.bpf.c) taken for a program of that way? 0: it is; else why not; EINVAL: the kernel does not know
 * it. */
int probe_template(struct probe_try *t, const struct probe_way *way, const char *name);
/*
 * Is there such a type? 0 or -errno, as above. *ret_taken: are programs of that way taken, too? A type may be there and
 * refuse what is tried here.
 */
int probe_way_try(struct probe_try *t, const struct probe_way *way, bool *ret_taken);
/* Does the kernel take more than 4096 instructions? 0 or -errno. */
int probe_large(struct probe_try *t, const struct probe_way *way);

/* May a program of that way call a helper? */
uint8_t probe_helper(struct probe_try *t, const struct probe_way *way, uint32_t id);
/* The first id from @known on that the kernel has no helper of, at most PROBE_HELPERS. */
uint32_t probe_helpers_end(struct probe_try *t, const struct probe_way *way, uint32_t known);
/*
 * The parameters of each helper as the verifier counts them, from Linux 6.15 on: ret[id] is their number, which is 5
 * where the helper is unknown, too; PROBE_PARAMS_NONE: it was not told. All in one load, for helpers with @ask[id].
 */
void probe_params(struct probe_try *t, const struct probe_way *way, const bool *ask, uint8_t *ret);
/* The same from the verifier's log. */
void probe_params_read(const char *log, uint8_t *ret);

#endif
