/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/heat.h"

#include "base/paint.h"
#include "code/rec.h"
#include "code/jited.h"
#include "render/doc.h"
#include "source/samples.h"

#define BAR 10 /* characters of the longest bar */

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

struct heat_rec {
	const char *event;
	uint32_t hz;
	uint64_t ns, samples, all, lost;
	double percent;
	uint8_t has_time, has_hz;
};
static size_t percent_text(const void *rec, char *buf, size_t size)
{
	return str_snprintf(buf, size, " (%.1f%%)", ((const struct heat_rec *)rec)->percent);
}
static size_t seconds_text(const void *rec, char *buf, size_t size)
{
	const struct heat_rec *r = rec;

	return r->has_time == AVAIL_YES ? str_snprintf(buf, size, " in %.1fs", (double)r->ns / 1e9) : 0;
}
static const struct field heat_fields[] = {
	FIELD_PERF_EVENT(heat_rec, .plain = ", %", .col = 5),
	FIELD_HZ(heat_rec, hz, .plain = " at % Hz", .col = 6, FIELD_WHEN(heat_rec, has_hz)),
	FIELD_SAMPLING_NS(heat_rec, .plain = "%", .text = seconds_text, .col = 4, FIELD_WHEN(heat_rec, has_time)),
	FIELD_SAMPLES(heat_rec, .plain = "%", .col = 0),
	FIELD_SAMPLES_ALL(heat_rec, all, .plain = " of % samples", .col = 1),
	FIELD_PERCENT(heat_rec, "share of the program's samples; for a program, of all samples", .plain = "%",
		      .text = percent_text, .col = 2),
	FIELD_SAMPLES_LOST(heat_rec, .col = 7),
};
const struct schema heat_schema = SCHEMA("annotation", heat_rec, heat_fields, .indent = "");

static const struct field heat_count_fields[] = {
	FIELD_IF(heat_count, line, has_line, "line_samples", "samples in the machine code up to the next source line",
		 .flags = FIELD_NOPLAIN),
	FIELD_SAMPLES(heat_count, .flags = FIELD_NOPLAIN, FIELD_WHEN(heat_count, has_samples)),
	FIELD_PERCENT(heat_count, "share of the program's samples; for a program, of all samples",
		      .flags = FIELD_NOPLAIN, FIELD_WHEN(heat_count, has_samples)),
};
const struct schema heat_count_schema = SCHEMA("count", heat_count, heat_count_fields);

void heat_hot(const struct heat *h, const struct jited_style *style, struct arena *a, struct hot *ret)
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
			hot_add(ret, (struct hot_spot){
					     .samples = samples,
					     .percent = hot_percent(samples, h->samples),
					     .func = name,
					     .pc = k.pc,
					     .at = f.off + k.pc,
					     .line = line,
					     .disasm = rec.disasm ? arena_str(a, rec.disasm, SIZE_MAX) : NULL,
				     });
		}
	}
}

static enum role color_of(double share)
{
	return share >= 10 ? ROLE_HOT : share >= 1 ? ROLE_WARM : ROLE_NONE;
}

static void counts_put(struct out *o, uint64_t n, const struct heat_margin *m, bool bar)
{
	const size_t length = bar && m->most ? (size_t)((n * BAR + m->most - 1) / m->most) : 0;
	const double share = hot_percent(n, m->heat->samples);

	if (!n) {
		out_fmt(o, "%*s", 17 + BAR, "");
		return;
	}
	out_paint(o, color_of(share));
	out_fmt(o, "%8llu %5.1f%% %-*.*s ", llu(n), share, BAR, (int)length, "##########");
	out_paint(o, ROLE_NONE);
}

void heat_margin_put(void *ctx, unsigned line, struct out *o)
{
	const struct heat_margin *m = ctx;

	if (line == LINE_INSN)
		counts_put(o, m->insn, m, true);
	else if (line == LINE_SOURCE)
		counts_put(o, m->line, m, false);
	else
		counts_put(o, 0, m, false);
}

static void insn_write(const struct heat *h, struct jited_func *f, struct jited_walk *k, struct heat_margin *m,
		       struct doc *d)
{
	const struct source_line line = jited_func_line(f, k->pc);
	const struct schema *schema = k->style->disasm ? &schema_jited : &schema_jited_bytes;
	const size_t end = jited_func_run(f, k->pc, SIZE_MAX);
	struct heat_count count = { .samples = heat_sum(h, f->off + k->pc, k->insn.size) };
	struct jited_rec rec;

	jited_rec(k, &rec);
	rec.source = source_rec(&line, k->style->linum);
	count.percent = hot_percent(count.samples, h->samples);
	count.has_samples = h->nfuncs ? AVAIL_YES : AVAIL_UNKNOWN;
	count.has_line = !line.text ? AVAIL_NO : count.has_samples;
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
	struct heat_margin m = { .heat = h, .most = most };
	JITED_FUNC f = { .x = h->x };
	struct func_rec rec;

	doc_list(d, "funcs");
	while (!doc_dead(d) && jited_func_next(&f)) {
		struct jited_walk k = { .f = &f, .style = style };

		doc_text(d, "\n");
		doc_object(d, NULL);
		func_rec(&f, &rec);
		doc_fields(d, &schema_func, &rec);
		doc_margin(d, heat_margin_put, &m);
		doc_list(d, "insns");
		while (!doc_dead(d) && jited_next(&k))
			insn_write(h, &f, &k, &m, d);
		doc_end(d);
		doc_margin(d, NULL, NULL);
		doc_end(d);
	}
	doc_end(d);
}

void heat_write_sum(const struct heat *h, struct doc *d)
{
	const struct samples_head *how = h->how;
	const struct heat_rec rec = {
		.event = how->event,
		.hz = how->hz,
		.ns = how->to - how->from,
		.has_time = how->to ? AVAIL_YES : AVAIL_UNKNOWN,
		.has_hz = how->hz ? AVAIL_YES : AVAIL_NO,
		.samples = h->samples,
		.all = h->all,
		.lost = how->lost,
		.percent = hot_percent(h->samples, h->all),
	};

	if (*how->event)
		doc_fields(d, &heat_schema, &rec);
}

void heat_write(const struct heat *h, const struct jited_style *style, struct arena *a, struct doc *d)
{
	struct hot hot = { 0 };
	uint64_t most;

	heat_write_sum(h, d);
	heat_hot(h, style, a, &hot);
	hot_write(&hot, &hot_insn_schema, "hottest_insns", "\nhottest instructions:\n", d);
	most = hot.n ? hot.v[0].samples : 0;
	hot_fold(&hot, h->samples);
	hot_write(&hot, &hot_line_schema, "hottest_lines", "\nhottest lines:\n", d);
	hot_release(&hot);
	code_write(h, style, most, d);
}
