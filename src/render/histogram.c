/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/histogram.h"

#include "base/paint.h"
#include "record/field.h"
#include "render/text.h"

#define BAR_MIN 10
#define BAR_MAX 200

static char *limit_text(char *p, struct wide v, bool log2)
{
	static const char units[] = "KMGTPE";
	int unit = -1;

	if (wide_is_neg(v))
		*p++ = '-';
	v = wide_abs(v);
	for (; log2 && !wide_is_zero(v) && unit < 5 && v.lo % 1024 == 0; v = wide_shr(v, 10))
		unit++;
	if (v.hi) /* 2^64 itself, without a unit */
		return mempcpy(p, "2^64", 4);
	p = num_dec(p, v.lo);
	if (unit >= 0)
		*p++ = units[unit];
	return p;
}

char *bucket_name(char *buf, size_t size, const struct bucket *b, bool log2)
{
	char lo[24], hi[24];

	*limit_text(lo, b->lo, log2) = '\0';
	*limit_text(hi, wide_add(b->hi, wide_u(1)), log2) = '\0';
	if (log2 && wide_is_neg(b->lo))
		snprintf(buf, size, "(..., 0)");
	else if (!wide_cmp(b->lo, b->hi))
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
		size_t len = strlen(bucket_name(name, sizeof(name), b, h->log2)),
		       n = (size_t)(num_dec(number, b->count) - number);

		label = len > label ? len : label;
		digits = n > digits ? n : digits;
		most = b->count > most ? b->count : most;
	}
	label = label < 14 ? 14 : label;
	digits = digits < 8 ? 8 : digits;
	bar = label + digits + 5 + BAR_MIN < columns ? columns - label - digits - 5 : BAR_MIN;
	bar = bar > BAR_MAX ? BAR_MAX : bar;
	for (i = 0; i < h->n; i++) {
		size_t len = (size_t)wide_div(wide_mul(h->bucket[i].count, bar), most).lo;

		out_fmt(o, "%-*s %*llu |", (int)label, bucket_name(name, sizeof(name), &h->bucket[i], h->log2),
			(int)digits, llu(h->bucket[i].count));
		out_paint(o, ROLE_BAR);
		for (size_t k = 0; k < len; k++)
			out_char(o, '@');
		out_paint(o, ROLE_NONE);
		render_pad(o, bar - len);
		out_str(o, "|\n");
	}
	if (!h->n)
		out_str(o, "(nothing counted)\n");
}

static const struct field bucket_fields[] = {
	FIELD_AS(bucket_rec, lo, FT_JSON, "lo", "smallest number counted there"),
	FIELD_AS(bucket_rec, hi, FT_JSON, "hi", "largest number counted there"),
	FIELD(bucket_rec, count, "count", "count"),
};
const struct schema schema_bucket = SCHEMA("bucket", bucket_rec, bucket_fields);

const char *wide_json(struct arena *a, struct wide v)
{
	char text[24];
	const char *end = limit_text(text, v, false);

	return arena_str(a, text, (size_t)(end - text));
}

struct histogram_rows histogram_rows(const struct histogram *h, struct arena *a)
{
	struct bucket_rec *rows = arena_array(a, h->n, sizeof(*rows));

	for (size_t i = 0; i < h->n; i++)
		rows[i] = (struct bucket_rec){ wide_json(a, h->bucket[i].lo), wide_json(a, h->bucket[i].hi),
					       h->bucket[i].count };
	return (struct histogram_rows){ h->total, rows, (uint32_t)h->n };
}
