/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/histogram.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/out.h"
#include "render/jsonw.h"
#include "render/text.h"

#define BAR_MIN 10
#define BAR_MAX 200

static char *limit_text(char *p, __int128 v, bool log2)
{
	static const char units[] = "KMGTPE";
	int unit = -1;

	if (v < 0) {
		*p++ = '-';
		v = -v;
	}
	for (; log2 && v >= 1024 && unit < 5 && v % 1024 == 0; v /= 1024)
		unit++;
	if (v >> 64)		/* 2^64 itself, in no unit */
		return mempcpy(p, "2^64", 4);
	p = num_dec(p, (uint64_t)v);
	if (unit >= 0)
		*p++ = units[unit];
	return p;
}

char *bucket_name(char *buf, size_t size, const struct bucket *b, bool log2)
{
	char lo[24], hi[24];

	*limit_text(lo, b->lo, log2) = '\0';
	*limit_text(hi, b->hi + 1, log2) = '\0';
	if (log2 && b->lo < 0)
		snprintf(buf, size, "(..., 0)");
	else if (b->lo == b->hi)
		snprintf(buf, size, "[%s]", lo);
	else
		snprintf(buf, size, "[%s, %s)", lo, hi);
	return buf;
}

void histogram_print(const struct histogram *h, struct out *o)
{
	size_t i, label = 0, digits = 0, bar, columns = out_columns(o);
	char name[BUCKET_NAME], number[24];
	uint64_t most = 1;

	for (i = 0; i < h->n; i++) {
		const struct bucket *b = &h->bucket[i];
		size_t len = strlen(bucket_name(name, sizeof(name), b, h->log2)), n = (size_t)(num_dec(number, b->count) - number);

		label = len > label ? len : label;
		digits = n > digits ? n : digits;
		most = b->count > most ? b->count : most;
	}
	label = label < 14 ? 14 : label;
	digits = digits < 8 ? 8 : digits;
	bar = label + digits + 5 + BAR_MIN < columns ? columns - label - digits - 5 : BAR_MIN;
	bar = bar > BAR_MAX ? BAR_MAX : bar;
	for (i = 0; i < h->n; i++) {
		size_t len = (size_t)((unsigned __int128)h->bucket[i].count * bar / most);

		out_fmt(o, "%-*s %*llu |", (int)label, bucket_name(name, sizeof(name), &h->bucket[i], h->log2), (int)digits,
			(unsigned long long)h->bucket[i].count);
		out_paint(o, OUT_CYAN);
		for (size_t k = 0; k < len; k++)
			out_char(o, '@');
		out_paint(o, OUT_RESET);
		render_pad(o, bar - len);
		out_str(o, "|\n");
	}
	if (!h->n)
		out_str(o, "(nothing counted)\n");
}

void jsonw_int128(struct jsonw *w, __int128 v)
{
	if (v < 0)
		jsonw_int(w, (int64_t)v);
	else
		jsonw_uint(w, (uint64_t)v);
}

void histogram_json(const struct histogram *h, struct jsonw *w)
{
	jsonw_name(w, "total");
	jsonw_uint(w, h->total);
	jsonw_name(w, "buckets");
	jsonw_array(w);
	for (size_t i = 0; i < h->n; i++) {
		jsonw_object(w);
		jsonw_name(w, "lo");
		jsonw_int128(w, h->bucket[i].lo);
		jsonw_name(w, "hi");
		jsonw_int128(w, h->bucket[i].hi);
		jsonw_name(w, "count");
		jsonw_uint(w, h->bucket[i].count);
		jsonw_end(w);
	}
	jsonw_end(w);
}
