/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/wide.h"

/* Count of the values from lo to hi, both included; the limits are clamped to 64-bit numbers. */
struct bucket {
	struct wide lo, hi;
	uint64_t count;
};
/* Without the empty buckets at both ends; n is 0 if all are empty. */
struct histogram {
	struct bucket *bucket;
	size_t n;
	uint64_t total;
	bool log2;
};

/*
 * Counts values. Log2: negative, 0, 1, 2 to 3, 4 to 7, ... 2^63 to 2^64 - 1. Linear: @step values in a bucket,
 * beginning at a multiple of it; with step 0, as many as make BUCKETS_FEW buckets.
 */
#define BUCKETS_LOG2 66u
#define BUCKETS_FEW 32u
#define BUCKETS_MAX 1024u
struct buckets {
	bool log2, fixed;
	uint64_t step;	   /* linear */
	struct wide first; /* linear: number of the bucket count[0] */
	size_t n;	   /* linear: in use; 0: no value yet */
	uint64_t count[BUCKETS_MAX];
};
void buckets_log2(struct buckets *b);
void buckets_linear(struct buckets *b, uint64_t step);
/* -E2BIG with a sentence: a fixed step would make more than BUCKETS_MAX. */
int buckets_add(struct buckets *b, struct wide value, uint64_t count, struct err *e);
void buckets_histogram(const struct buckets *b, struct histogram *ret, struct arena *a);

/*
 * Slots that a program counted itself. Log2: slot 0 is 0 and 1, slot i is 2^i to 2^(i+1) - 1; with @bcc, as by
 * bpf_log2l() of BCC, each is one slot higher. Linear: slot i is i * step to (i + 1) * step - 1.
 */
struct slots {
	bool log2, bcc;
	uint64_t step;
};
#define SLOTS_LOG2 64u /* one more with bcc */
/* Sets only the limits, of BUCKETS_LOG2 buckets and of slots, for counts that are kept elsewhere. */
void buckets_limits(struct bucket *ret);
void slots_limits(const struct slots *how, struct bucket *ret, size_t n);
/* Removes empty buckets at both ends, and sums up the rest. */
void histogram_trim(struct histogram *h);
void slots_histogram(const struct slots *how, const uint64_t *count, size_t n, struct histogram *ret, struct arena *a);
