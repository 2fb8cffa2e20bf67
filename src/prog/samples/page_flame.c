/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/page_flame.h"

#include "cli/env.h"
#include "code/names.h"
#include "prog/samples/code_at.h"
#include "prog/samples/stacks.h"
#include "render/html.h"
#include "source/keys.h"

struct flame {
	struct out *o;
	struct stack_counts stacks;
	struct keys code; /* programs with code in the page, by the symbols of their functions */
	uint64_t all;
	bool left_out;
};
/* Neighbours with the same first frames. */
struct flame_span {
	size_t from, to;
	size_t end; /* of the last common frame, in each stack */
	uint64_t count;
};

/* The stacks from @from to @to that have the same frame at an offset. */
static struct flame_span span_of(const struct flame *f, size_t at, size_t from, size_t to)
{
	const char *name = f->stacks.all[from]->stack + at;
	const size_t n = strcspn(name, ";");
	struct flame_span s = { from, from, at + n, 0 };

	for (; s.to < to; s.to++) {
		const char *other = f->stacks.all[s.to]->stack + at;

		if (strncmp(other, name, n) || (other[n] && other[n] != ';'))
			break;
		s.count += f->stacks.all[s.to]->count;
	}
	return s;
}

static void name_put(struct flame *f, const char *name, size_t n, uint64_t count)
{
	const double percent = (double)count * 100 / (double)f->all;
	STR text = { 0 };
	unsigned prog;

	str_add(&text, name, n);
	prog = (unsigned)(uintptr_t)keys_get(&f->code, text.p);
	if (prog)
		out_fmt(f->o, "<a href=\"#code-%u\"", prog);
	else
		out_str(f->o, "<span");
	out_fmt(f->o, " class=\"%s\" title=\"", code_name_is(text.p) ? "func-prog" : "func-host");
	html_text(f->o, text.p);
	out_fmt(f->o, ": %" PRIu64 " sample%s, %.1f%%\" data-v=\"%" PRIu64 "\">", count, plural(count), percent, count);
	html_text(f->o, code_name_short(text.p));
	out_str(f->o, prog ? "</a>" : "</span>");
}

static void frames_put(struct flame *f, const struct flame_span *in, unsigned depth)
{
	const size_t at = depth ? in->end + 1 : 0;
	size_t i = in->from;

	/* The shortest stack is the first: it may end with the frame that was written. */
	if (depth && !f->stacks.all[i]->stack[in->end])
		i++;
	if (i == in->to)
		return;
	out_str(f->o, "<div class=\"frames\">");
	while (i < in->to && !out_dead(f->o)) {
		const struct flame_span s = span_of(f, at, i, in->to);

		i = s.to;
		if ((double)s.count * 100 < FLAME_MIN * (double)f->all || depth == FLAME_DEPTH) {
			f->left_out = true;
			continue;
		}
		out_fmt(f->o, "<div class=\"frame\" style=\"--w:%.2f\">", (double)s.count * 100 / (double)in->count);
		name_put(f, f->stacks.all[s.from]->stack + at, s.end - at, s.count);
		frames_put(f, &s, depth + 1);
		out_str(f->o, "</div>");
	}
	out_str(f->o, "</div>");
}

static void flame_code_read(struct flame *f, const struct stack_names *names, const bool *code)
{
	keys_init(&f->code, names->env->keep);
	for (size_t i = 0; i < names->index->nplaces; i++) {
		const struct code_place *p = &names->index->place[i];
		void **slot = names->made[i] && !p->code && code[p->known] ? keys_put(&f->code, names->made[i]) : NULL;

		if (slot)
			*slot = (void *)(uintptr_t)p->prog;
	}
}

void page_flame_write(struct stack_names *names, const bool *code, struct out *o)
{
	struct flame f = { .o = o };
	struct flame_span all = { 0 };

	/* The machine counts refused questions. */
	stacks_count(names, &f.stacks);
	flame_code_read(&f, names, code);
	all.to = f.stacks.n;
	for (size_t i = 0; i < f.stacks.n; i++)
		all.count += f.stacks.all[i]->count;
	f.all = all.count;
	html_section(o, "flame", "Flame graph");
	if (f.all) {
		out_fmt(o, "<div class=\"flame\" data-v=\"%" PRIu64 "\">", f.all);
		frames_put(&f, &all, 0);
		out_str(o, "</div>\n");
	}
	if (f.left_out)
		out_fmt(o,
			"<p class=\"none\">frames below %g%% of the samples, and those deeper than %d, are left out</p>\n",
			FLAME_MIN, FLAME_DEPTH);
	html_section_end(o);
	free(f.stacks.all);
}
