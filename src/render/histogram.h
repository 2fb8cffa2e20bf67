/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/buckets.h"

struct schema;
/* "[4, 8)", "[1K, 2K)" for powers of two, "[7]" for a single value, "(..., 0)" for all negative values; returns buf. */
#define BUCKET_NAME 48
char *bucket_name(char *buf, size_t size, const struct bucket *b, bool log2);
/* A line for each bucket, with a bar; as wide as the terminal. */
void histogram_print(const struct histogram *h, struct out *o);
/* The buckets as records: [{"lo":4,"hi":7,"count":123}], lo and hi included. */
struct bucket_rec {
	const char *lo, *hi; /* numbers, as JSON because they need 65 bits */
	uint64_t count;
};
extern const struct schema schema_bucket;
struct histogram_rows {
	uint64_t total;
	const struct bucket_rec *bucket; /* in the arena */
	uint32_t n;
};
struct histogram_rows histogram_rows(const struct histogram *h, struct arena *a);
/* A number for a field of FT_JSON: 64 bits, signed or unsigned. */
const char *wide_json(struct arena *a, struct wide v);
