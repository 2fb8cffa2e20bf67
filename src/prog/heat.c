/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/heat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/out.h"
#include "prog/code_rec.h"
#include "prog/jited.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/samples.h"

#define SHOWN 8				/* lines, and instructions, above the code */
#define BAR 10				/* characters of the longest bar */

void heat_init(struct heat *h, const struct jited *x, const struct samples_head *how, struct arena *a)
{
	JITED_FUNC f = { .x = x };
	size_t n = 0;

	*h = (struct heat){ .x = x, .how = how, .at = arena_array(a, x->image.n, sizeof(*h->at)) };
	while (jited_func_next(&f))
		n++;
	jited_func_end(&f);
	h->funcs = arena_array(a, n, sizeof(*h->funcs));
	f = (struct jited_func){ .x = x };
	while (h->nfuncs < n && jited_func_next(&f))
		if (f.addr)
			h->funcs[h->nfuncs++] = (struct heat_func){ f.addr, f.off, f.len };
}

bool heat_add(struct heat *h, uint64_t ip)
{
	for (size_t i = 0; i < h->nfuncs; i++) {
		const struct heat_func *f = &h->funcs[i];

		if (ip - f->addr >= f->len)
			continue;
		h->at[f->off + (size_t)(ip - f->addr)]++;
		h->samples++;
		return true;
	}
	return false;
}

uint64_t heat_sum(const struct heat *h, size_t off, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += h->at[off + i];
	return sum;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

struct heat_rec {
	const char *event;
	uint32_t hz;
	uint64_t ns, samples, all, lost;
	double percent;
	uint8_t has_time;
};
#define SAMPLES_FIELD(T, ...) FIELD(T, samples, "samples", "samples in it", ##__VA_ARGS__)
#define PERCENT_FIELD(T, help, ...) FIELD(T, percent, "percent", help, ##__VA_ARGS__)
#define HEAT(m, name, help, ...) FIELD(struct heat_rec, m, name, help, ##__VA_ARGS__)
static size_t percent_text(const void *rec, char *buf, size_t size)
{
	return (size_t)snprintf(buf, size, " (%.1f%%)", ((const struct heat_rec *)rec)->percent);
}
static size_t seconds_text(const void *rec, char *buf, size_t size)
{
	const struct heat_rec *r = rec;

	return r->has_time == AVAIL_YES ? (size_t)snprintf(buf, size, " in %.1fs", (double)r->ns / 1e9) : 0;
}
static const struct field heat_fields[] = {
	HEAT(event, "event", "what was counted", .plain = ", % at ", .col = 5),
	HEAT(hz, "hz", "samples a second of a CPU", .plain = "% Hz", .col = 6),
	HEAT(ns, "duration_ns", "how long samples were taken", .unit = FU_NSEC, .plain = "%", .text = seconds_text, .col = 4,
	     .when = offsetof(struct heat_rec, has_time)),
	SAMPLES_FIELD(struct heat_rec, .plain = "%", .col = 0),
	HEAT(all, "samples_all", "samples of the whole machine, without its idle CPUs", .plain = " of % samples", .col = 1),
	PERCENT_FIELD(struct heat_rec, "its part of the samples that it is one of", .plain = "%", .text = percent_text, .col = 2),
	HEAT(lost, "samples_lost", "samples that there was no room for", .plain = ", % lost", .col = 7, .flags = FIELD_PLAIN_NZ),
};
const struct schema heat_schema = SCHEMA("annotation", struct heat_rec, heat_fields, .indent = "");

/* An instruction with samples; the same for a line: that with most of it. */
struct heat_spot {
	const struct heat *heat;
	uint64_t samples;
	double percent;
	const char *func, *disasm;
	uint64_t pc, at;		/* in its function, in the whole image */
	struct source_line line;
};
static size_t spot_text(const void *rec, char *buf, size_t size)
{
	const struct heat_spot *s = rec;

	return (size_t)snprintf(buf, size, "%8llu %5.1f%%", (unsigned long long)s->samples, s->percent);
}
#define SPOT(m, name, help, ...) FIELD(struct heat_spot, m, name, help, ##__VA_ARGS__)
#define SPOT_COUNTS \
	SAMPLES_FIELD(struct heat_spot, .plain = "%", .text = spot_text), \
	PERCENT_FIELD(struct heat_spot, "its part of the samples that it is one of", .flags = FIELD_NOPLAIN)
#define SPOT_LINE \
	SPOT(line.file, "file", "file of the line", .plain = "  %", .col = 3), \
	SPOT(line.num, "line_num", "its number", .plain = ":%", .col = 4, .flags = FIELD_NONZERO), \
	SPOT(line.text, "src", "the line of source", .plain = "  %", .col = 5)
static const struct field heat_line_fields[] = { SPOT_COUNTS, SPOT_LINE };
static const struct field heat_insn_fields[] = {
	SPOT_COUNTS,
	SPOT(func, "func", "symbol of the function", .plain = "  %", .col = 1),
	SPOT(pc, "pc", "bytes from the start of the function", .unit = FU_CODE, .plain = "+0x%", .col = 2),
	SPOT(disasm, "disasm", "the instruction", .plain = ": %", .col = 3),
	SPOT(line.file, "file", "file of the line", .flags = FIELD_NOPLAIN),
	SPOT(line.num, "line_num", "its number", .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	SPOT(line.text, "src", "the line of source", .plain = "  ; %", .col = 5),
};
const struct schema heat_line_schema = SCHEMA("hot line", struct heat_spot, heat_line_fields);
const struct schema heat_insn_schema = SCHEMA("hot instruction", struct heat_spot, heat_insn_fields);

/* Beside each instruction; text has it in the margin. */
struct heat_count {
	uint64_t samples, line;
	double percent;
	uint8_t has_line;
};
static const struct field heat_count_fields[] = {
	FIELD(struct heat_count, line, "line_samples", "samples in the machine code from here to the next line of source", .flags = FIELD_NOPLAIN,
	      .when = offsetof(struct heat_count, has_line)),
	SAMPLES_FIELD(struct heat_count, .flags = FIELD_NOPLAIN),
	PERCENT_FIELD(struct heat_count, "its part of the samples that it is one of", .flags = FIELD_NOPLAIN),
};
const struct schema heat_count_schema = SCHEMA("count", struct heat_count, heat_count_fields);

struct spots { struct heat_spot *v; size_t n, cap; };

static void spots_collect(const struct heat *h, const struct jited_style *style, struct arena *a, struct spots *ret)
{
	JITED_FUNC f = { .x = h->x };
	struct jited_rec rec;
	struct func_rec func;

	while (jited_func_next(&f)) {
		struct jited_walk k = { .f = &f, .style = style };
		struct source_line line = { 0 };
		const char *name = NULL;

		while (jited_next(&k)) {
			const uint64_t samples = heat_sum(h, f.off + k.pc, k.insn.size);
			struct source_line begins = jited_func_line(&f, k.pc);

			line = begins.text ? begins : line;
			if (!samples)
				continue;
			func_rec(&f, &func);
			name = name ? name : arena_str(a, func.name, SIZE_MAX);
			jited_rec(&k, &rec);
			ret->v = array_more(ret->v, ret->n, &ret->cap, sizeof(*ret->v));
			ret->v[ret->n++] = (struct heat_spot){
				.heat = h, .samples = samples, .percent = percent(samples, h->samples), .func = name, .pc = k.pc, .at = f.off + k.pc,
				.line = line,
				.disasm = rec.disasm ? arena_str(a, rec.disasm, SIZE_MAX) : NULL,
			};
		}
	}
}

static int by_samples(const void *pa, const void *pb)
{
	const struct heat_spot *a = pa, *b = pb;

	return a->samples != b->samples ? (a->samples < b->samples) - (a->samples > b->samples) : (a->at > b->at) - (a->at < b->at);
}

static int by_line(const void *pa, const void *pb)
{
	const struct heat_spot *a = pa, *b = pb;
	int c = strcmp(a->line.file ? a->line.file : "", b->line.file ? b->line.file : "");

	if (!c && a->line.num == b->line.num)
		c = strcmp(a->line.text, b->line.text);
	else if (!c)
		c = a->line.num < b->line.num ? -1 : 1;
	return c;
}

static int by_line_and_place(const void *pa, const void *pb)
{
	const struct heat_spot *a = pa, *b = pb;
	int c = by_line(a, b);

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* One spot for each line of source, where it begins; code without one has none. */
static void lines_fold(struct spots *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].line.text)
			s->v[n++] = s->v[i];
	s->n = n;
	if (n)
		qsort(s->v, n, sizeof(*s->v), by_line_and_place);
	n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (n && !by_line(&s->v[n - 1], &s->v[i]))
			s->v[n - 1].samples += s->v[i].samples;
		else
			s->v[n++] = s->v[i];
	}
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->v[i].percent = percent(s->v[i].samples, s->v[i].heat->samples);
}

static void spots_write(struct spots *s, const struct schema *schema, const char *name, const char *head, struct doc *d)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_samples);
	doc_list(d, name);
	if (s->n)
		doc_text(d, head);
	for (size_t i = 0; i < s->n && i < SHOWN; i++)
		doc_record(d, schema, &s->v[i]);
	doc_end(d);
}

/* Left of the code. */
struct margin_of {
	const struct heat *heat;
	uint64_t insn, line, most;	/* most: of any instruction */
};

static enum out_color color_of(double share)
{
	return share >= 10 ? OUT_RED : share >= 1 ? OUT_YELLOW : OUT_RESET;
}

static void counts_put(struct out *o, uint64_t n, const struct margin_of *m, bool bar)
{
	const size_t length = bar && m->most ? (size_t)((n * BAR + m->most - 1) / m->most) : 0;
	const double share = percent(n, m->heat->samples);

	if (!n) {
		out_fmt(o, "%*s", 17 + BAR, "");
		return;
	}
	out_paint(o, color_of(share));
	out_fmt(o, "%8llu %5.1f%% %-*.*s ", (unsigned long long)n, share, BAR, (int)length, "##########");
	out_paint(o, OUT_RESET);
}

static void margin_put(void *ctx, unsigned line, struct out *o)
{
	const struct margin_of *m = ctx;

	if (line == LINE_INSN)
		counts_put(o, m->insn, m, true);
	else if (line == LINE_SOURCE)
		counts_put(o, m->line, m, false);
	else
		counts_put(o, 0, m, false);
}

static uint64_t most_of(const struct spots *s)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->v[i].samples > most ? s->v[i].samples : most;
	return most;
}

static void insn_write(const struct heat *h, struct jited_func *f, struct jited_walk *k, struct margin_of *m, struct doc *d)
{
	const struct source_line line = jited_func_line(f, k->pc);
	const struct schema *schema = k->style->disasm ? &schema_jited : &schema_jited_bytes;
	const size_t end = jited_func_run(f, k->pc, SIZE_MAX);
	struct heat_count count = { .samples = heat_sum(h, f->off + k->pc, k->insn.size) };
	struct jited_rec rec;

	jited_rec(k, &rec);
	rec.source = source_rec(&line, k->style->linum);
	count.percent = percent(count.samples, h->samples);
	count.has_line = line.text ? AVAIL_YES : AVAIL_NO;
	count.line = line.text ? heat_sum(h, f->off + k->pc, end) : 0;
	m->insn = count.samples;
	m->line = count.line;
	doc_object(d, NULL);
	doc_fields(d, &heat_count_schema, &count);
	doc_fields(d, schema, &rec);
	doc_end(d);
}

static void code_write(const struct heat *h, const struct jited_style *style, uint64_t most, struct doc *d)
{
	struct margin_of m = { .heat = h, .most = most };
	JITED_FUNC f = { .x = h->x };
	struct func_rec rec;

	doc_list(d, "funcs");
	while (!doc_dead(d) && jited_func_next(&f)) {
		struct jited_walk k = { .f = &f, .style = style };

		doc_text(d, "\n");
		doc_object(d, NULL);
		func_rec(&f, &rec);
		doc_fields(d, &schema_func, &rec);
		doc_margin(d, margin_put, &m);
		doc_list(d, "insns");
		while (!doc_dead(d) && jited_next(&k))
			insn_write(h, &f, &k, &m, d);
		doc_end(d);
		doc_margin(d, NULL, NULL);
		doc_end(d);
	}
	doc_end(d);
}

void heat_write(const struct heat *h, const struct jited_style *style, struct arena *a, struct doc *d)
{
	const struct samples_head *how = h->how;
	const struct heat_rec rec = {
		.event = how->event, .hz = how->hz, .ns = how->to - how->from, .has_time = how->to ? AVAIL_YES : AVAIL_UNKNOWN,
		.samples = h->samples, .all = h->all, .lost = how->lost, .percent = percent(h->samples, h->all),
	};
	struct spots s = { 0 };
	uint64_t most;

	doc_fields(d, &heat_schema, &rec);
	spots_collect(h, style, a, &s);
	most = most_of(&s);
	spots_write(&s, &heat_insn_schema, "hottest_insns", "\nhottest instructions:\n", d);
	lines_fold(&s);
	spots_write(&s, &heat_line_schema, "hottest_lines", "\nhottest lines:\n", d);
	free(s.v);
	code_write(h, style, most, d);
}
