/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/page_code.h"

#include "cli/env.h"
#include "code/rec.h"
#include "code/heat.h"
#include "code/heat_xlated.h"
#include "code/hot.h"
#include "code/insn_heat.h"
#include "code/jited.h"
#include "prog/prog.h"
#include "code/xlated.h"
#include "render/doc.h"
#include "render/html.h"

/* Writes @before and the name of a position in the page: the program's id, and the position in its code. */
static void place_put(const struct page_code *p, const char *before, uint64_t at)
{
	out_fmt(p->o, "%s-%u-%llx\"", before, p->prog->info.id, llu(at));
}

static void text_begin(const struct page_code *p, struct out *text, struct doc *d)
{
	out_init(text, -1);
	doc_init(d, text, NULL, p->env->arena);
}

static void hot_write_links(const struct page_code *p, struct hot *h, const struct schema *schema, const char *heading)
{
	struct out text;
	struct doc d;

	hot_sort(h);
	hot_shorten(h);
	if (!h->n)
		return;
	text_begin(p, &text, &d);
	out_fmt(p->o, "<h3>%s</h3>\n<ol class=\"hot\">\n", heading);
	for (size_t i = 0; i < hot_count_shown(h); i++) {
		out_str(p->o, "<li");
		html_heat(p->o, h->v[i].percent);
		place_put(p, "><a href=\"#at", h->v[i].at);
		out_char(p->o, '>');
		doc_fields(&d, schema, &h->v[i]);
		html_copy(p->o, &text);
		out_str(p->o, "</a></li>\n");
	}
	out_str(p->o, "</ol>\n");
	out_close(&text, NULL);
}

/* Begins an element with its heat. */
static void heat_open(const struct page_code *p, const char *class, double percent)
{
	out_fmt(p->o, "<div class=\"%s%s\"", class, percent > 0 ? " heat" : "");
	html_heat(p->o, percent);
}

/* Writes the left side of a group, up to its instructions. @samples: of its line, or of its run of instructions. */
static void group_begin(const struct page_code *p, const struct source_line *line, uint64_t samples)
{
	const struct heat_count count = {
		.samples = samples,
		.percent = hot_percent(samples, p->heat->samples),
		.has_samples = samples ? AVAIL_YES : AVAIL_NO,
	};
	const struct source_rec source = source_rec(line, true);

	out_str(p->o, "<div class=\"group\">");
	heat_open(p, "source", count.percent);
	out_char(p->o, '>');
	html_field(p->o, &heat_count_schema, &count, "samples");
	html_field(p->o, &heat_count_schema, &count, "percent");
	html_field(p->o, &schema_source, &source, "line_num");
	html_field(p->o, &schema_source, &source, "src");
	out_str(p->o, "</div><div class=\"insns\">\n");
}

static void group_end(const struct page_code *p)
{
	out_str(p->o, "</div></div>\n");
}

static void jited_insn_put(const struct page_code *p, const struct jited_func *f, const struct jited_walk *k)
{
	const uint64_t samples = heat_sum(p->heat, f->off + k->pc, k->insn.size);
	const struct schema *schema = k->style->disasm ? &schema_jited : &schema_jited_bytes;
	const struct heat_count count = {
		.samples = samples,
		.percent = hot_percent(samples, p->heat->samples),
		.has_samples = samples ? AVAIL_YES : AVAIL_NO,
	};
	struct jited_rec rec;

	jited_rec(k, &rec);
	heat_open(p, "op", count.percent);
	place_put(p, " id=\"at", f->off + k->pc);
	out_char(p->o, '>');
	html_field(p->o, &heat_count_schema, &count, "samples");
	html_field(p->o, &heat_count_schema, &count, "percent");
	html_field(p->o, schema, &rec, "pc");
	html_field(p->o, schema, &rec, k->style->disasm ? "disasm" : "opcodes");
	out_str(p->o, "</div>\n");
}

static void jited_func_put(const struct page_code *p, struct jited_func *f, const struct jited_style *style,
			   struct out *text, struct doc *d)
{
	struct jited_walk k = { .f = f, .style = style };
	struct source_line line = { 0 };
	struct func_rec rec;
	bool open = false;

	func_rec(f, &rec);
	doc_fields(d, &schema_func, &rec);
	html_lines(p->o, text);
	out_str(p->o, "<div class=\"code\">\n");
	while (!out_dead(p->o) && jited_next(&k)) {
		line = jited_func_line(f, k.pc);
		if (!open || line.text) {
			if (open)
				group_end(p);
			group_begin(p, &line,
				    line.text ? heat_sum(p->heat, f->off + k.pc, jited_func_run(f, k.pc, SIZE_MAX)) :
						0);
			open = true;
		}
		jited_insn_put(p, f, &k);
	}
	if (open)
		group_end(p);
	out_str(p->o, "</div>\n");
}

static void jited_put(const struct page_code *p)
{
	const struct jited_style style = { .disasm = p->disasm };
	JITED_FUNC f = { .x = p->heat->x };
	struct hot hot = { 0 };
	struct out text;
	struct doc d;

	heat_hot(p->heat, &style, p->env->arena, &hot);
	hot_write_links(p, &hot, &hot_insn_schema, "hottest instructions");
	hot_fold(&hot, p->heat->samples);
	hot_write_links(p, &hot, &hot_line_schema, "hottest lines");
	hot_release(&hot);
	text_begin(p, &text, &d);
	while (!out_dead(p->o) && jited_func_next(&f))
		jited_func_put(p, &f, &style, &text, &d);
	out_close(&text, NULL);
}

static void xlated_insn_put(const struct page_code *p, const struct xlated_walk *k, const struct xlated_style *style)
{
	struct xlated_rec rec;

	xlated_rec(k, style, false, &rec);
	out_str(p->o, "<div class=\"op\"");
	place_put(p, " id=\"at", k->i);
	out_str(p->o, "><span></span><span></span>");
	html_field(p->o, &schema_xlated_alone, &rec, "insn");
	html_field(p->o, &schema_xlated_alone, &rec, "disasm");
	if (rec.refers)
		html_field(p->o, &schema_xlated_alone, &rec, "refers");
	out_str(p->o, "</div>\n");
}

static void func_put(const struct page_code *p, const char *proto)
{
	out_str(p->o, "<p class=\"func\">");
	html_text(p->o, proto);
	out_str(p->o, "</p>\n");
}

static void xlated_put(const struct page_code *p)
{
	const struct xlated_style style = { 0 };
	XLATED_WALK k = { .x = p->xlated };
	struct hot hot = { 0 };
	struct insn_heat runs;
	bool open = false;

	insn_heat_read(p->heat, p->xlated, p->env->arena, &runs);
	heat_xlated_hot(p->heat, &runs, p->xlated, &hot);
	hot_write_links(p, &hot, &hot_line_schema, "hottest lines");
	hot_release(&hot);
	out_str(p->o, "<div class=\"code\">\n");
	while (!out_dead(p->o) && xlated_next(&k)) {
		const struct insn_run *r = insn_heat_at(&runs, k.i);

		if (!open || r || k.source.text || k.signature.n) {
			if (open)
				group_end(p);
			if (k.signature.n)
				func_put(p, k.signature.p);
			group_begin(p, &k.source, r ? r->samples : 0);
			open = true;
		}
		xlated_insn_put(p, &k, &style);
	}
	if (open)
		group_end(p);
	out_str(p->o, "</div>\n");
}

void page_code_write(const struct page_code *p)
{
	const char *name = p->prog->name ? p->prog->name : "";
	struct out text;
	struct doc d;

	html_section(p->o, arena_fmt(p->env->arena, "code-%u", p->prog->info.id),
		     arena_fmt(p->env->arena, "Code of %u %s", p->prog->info.id, name));
	text_begin(p, &text, &d);
	doc_headline(&d, &schema_prog, p->prog);
	if (p->heat->how)
		heat_write_sum(p->heat, &d);
	html_lines(p->o, &text);
	out_close(&text, NULL);
	if (p->instead)
		html_missing(p->o, p->instead);
	if (p->xlated)
		xlated_put(p);
	else
		jited_put(p);
	html_section_end(p->o);
}
