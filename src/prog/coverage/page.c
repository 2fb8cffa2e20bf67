/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/coverage/coverage.h"

#include "cli/env.h"
#include "render/html.h"
#include "render/render.h"

static void table_put(struct env *env, const struct cover_rec *v, size_t n, struct out *o)
{
	struct render r = { .ops = &render_html, .out = o, .arena = env->keep };

	html_section(o, "functions", "Functions");
	render_begin(&r);
	render_section(&r, &coverage_schema, NULL);
	for (size_t i = 0; i < n; i++)
		render_record(&r, &v[i]);
	render_end(&r);
	html_section_end(o);
}

static void line_put(const struct cover_line *l, struct out *o)
{
	const struct schema *s = &coverage_line_schema;

	out_fmt(o, "<div class=\"source%s\"", l->runs ? "" : " heat");
	html_heat(o, l->runs ? 0 : 100);
	out_char(o, '>');
	html_field(o, s, l, "hits");
	html_field(o, s, l, "line_num");
	html_field(o, s, l, "src");
	if (l->elsewhere)
		html_field(o, s, l, "file");
	out_str(o, "</div>\n");
}

void coverage_write_page(struct env *env, const struct cover_rec *v, size_t n, struct out *o)
{
	html_begin(o, "bpflens coverage");
	out_str(o, "<nav>");
	for (size_t i = 0; i < n; i++) {
		if (!v[i].lines_total)
			continue;
		out_fmt(o, "<a href=\"#func-%zu\">", i);
		html_text(o, v[i].func);
		out_str(o, "</a>");
	}
	out_str(o, "</nav>\n");
	table_put(env, v, n, o);
	for (size_t i = 0; i < n && !out_dead(o); i++) {
		if (!v[i].lines_total)
			continue;
		html_section(o, arena_fmt(env->arena, "func-%zu", i), v[i].func);
		out_str(o, "<div class=\"code ran\">\n");
		for (uint32_t k = 0; k < v[i].lines_total; k++)
			line_put(&v[i].all[k], o);
		out_str(o, "</div>\n");
		html_section_end(o);
	}
	html_end(o);
}
