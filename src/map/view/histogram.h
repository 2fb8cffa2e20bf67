/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_VIEW_HISTOGRAM_H
#define MAP_VIEW_HISTOGRAM_H

#include <stddef.h>
#include "map/elem/buckets.h"

struct out; struct jsonw;
/* "[4, 8)", "[1K, 2K)" for powers of two, "[7]" for one value, "(..., 0)" for all negative ones; returns buf. */
#define BUCKET_NAME 48
char *bucket_name(char *buf, size_t size, const struct bucket *b, bool log2);
/* A line for each bucket, with a bar, as wide as the terminal. */
void histogram_print(const struct histogram *h, struct out *o);
/* Members total and buckets, of the object that is open: [{"lo":4,"hi":7,"count":123}], lo and hi included. */
void histogram_json(const struct histogram *h, struct jsonw *w);
void jsonw_int128(struct jsonw *w, __int128 v);		/* within what 64 bits can be, with a sign or without */

#endif
