/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/hot.h"

#include "code/names.h"
#include "render/doc.h"

#define SHOWN 8 /* instructions, and lines */

static size_t spot_text(const void *rec, char *buf, size_t size)
{
	const struct hot_spot *s = rec;

	return str_snprintf(buf, size, "%8llu %5.1f%%", llu(s->samples), s->percent);
}
#define SPOT_FIELDS_COUNTS \
	FIELD_SAMPLES(hot_spot, .plain = "%", .text = spot_text), \
		FIELD_PERCENT(hot_spot, "share of the program's samples; for a program, of all samples", \
			      .flags = FIELD_NOPLAIN)
#define SPOT_FIELDS_LINE \
	FIELD(hot_spot, line.file, "file", "the file that has the source line", .plain = "  %", .col = 3), \
		FIELD(hot_spot, line.num, "line_num", "number of the source line", .plain = ":%", .col = 4, \
		      .flags = FIELD_NONZERO), \
		FIELD(hot_spot, line.text, "src", "source line", .plain = "  %", .col = 5)
static const struct field hot_line_fields[] = { SPOT_FIELDS_COUNTS, SPOT_FIELDS_LINE };
static const struct field hot_insn_fields[] = {
	SPOT_FIELDS_COUNTS,
	FIELD(hot_spot, func, "func", "the function, by its symbol", .plain = "  %", .col = 1),
	FIELD(hot_spot, pc, "pc", "offset in the function in bytes", .unit = FU_CODE, .plain = "+0x%", .col = 2),
	FIELD(hot_spot, disasm, "disasm", "the instruction", .plain = ": %", .col = 3),
	FIELD(hot_spot, line.file, "file", "the file that has the source line", .flags = FIELD_NOPLAIN),
	FIELD(hot_spot, line.num, "line_num", "number of the source line", .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(hot_spot, line.text, "src", "source line", .plain = "  ; %", .col = 5),
};
const struct schema hot_line_schema = SCHEMA("hot line", hot_spot, hot_line_fields);
const struct schema hot_insn_schema = SCHEMA("hot instruction", hot_spot, hot_insn_fields);

double hot_percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

void hot_add(struct hot *h, struct hot_spot spot)
{
	ARRAY_MORE(h->v, h->n, h->cap);
	h->v[h->n++] = spot;
}

void hot_release(struct hot *h)
{
	free(h->v);
	*h = (struct hot){ 0 };
}

static int by_samples(const void *pa, const void *pb)
{
	const struct hot_spot *a = pa, *b = pb;

	return NUM_CMP(b->samples, a->samples) ?: NUM_CMP(a->at, b->at);
}

static int by_line(const void *pa, const void *pb)
{
	const struct hot_spot *a = pa, *b = pb;

	return strcmp(a->line.file ?: "", b->line.file ?: "") ?:
		       NUM_CMP(a->line.num, b->line.num) ?:
							   strcmp(a->line.text, b->line.text);
}

static int by_line_and_place(const void *pa, const void *pb)
{
	const struct hot_spot *a = pa, *b = pb;

	return by_line(a, b) ?: NUM_CMP(a->at, b->at);
}

void hot_sort(struct hot *h)
{
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), by_samples);
}

void hot_fold(struct hot *h, uint64_t all)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].line.text)
			h->v[n++] = h->v[i];
	h->n = n;
	if (n)
		qsort(h->v, n, sizeof(*h->v), by_line_and_place);
	n = 0;
	for (size_t i = 0; i < h->n; i++) {
		if (n && !by_line(&h->v[n - 1], &h->v[i]))
			h->v[n - 1].samples += h->v[i].samples;
		else
			h->v[n++] = h->v[i];
	}
	h->n = n;
	for (size_t i = 0; i < n; i++)
		h->v[i].percent = hot_percent(h->v[i].samples, all);
}

void hot_shorten(struct hot *h)
{
	for (size_t i = 0; i < h->n; i++)
		h->v[i].func = h->v[i].func ? code_name_short(h->v[i].func) : NULL;
}

size_t hot_count_shown(const struct hot *h)
{
	return h->n < SHOWN ? h->n : SHOWN;
}

void hot_write(struct hot *h, const struct schema *schema, const char *name, const char *head, struct doc *d)
{
	hot_sort(h);
	if (doc_is_text(d))
		hot_shorten(h);
	doc_list(d, name);
	if (h->n)
		doc_text(d, head);
	for (size_t i = 0; i < hot_count_shown(h); i++)
		doc_record(d, schema, &h->v[i]);
	doc_end(d);
}
