/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/page_flame.h"

#include "base/base.h"
#include "prog/samples/stacks.h"
#include "render/html.h"

struct flame {
	struct out *o;
	struct stack_counts stacks;
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
	struct str text = { 0 };

	str_add(&text, name, n);
	out_fmt(f->o, "<span class=\"%s\" title=\"", str_starts(text.p, "bpf_prog_") ? "func-prog" : "func-host");
	html_text(f->o, text.p);
	out_fmt(f->o, ": %" PRIu64 " sample%s, %.1f%%\">", count, plural(count), percent);
	html_text(f->o, text.p);
	out_str(f->o, "</span>");
	str_release(&text);
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

void page_flame_write(struct stack_names *names, struct out *o)
{
	struct flame f = { .o = o };
	struct flame_span all = { 0 };

	/* The machine counts refused questions. */
	stacks_count(names, &f.stacks);
	all.to = f.stacks.n;
	for (size_t i = 0; i < f.stacks.n; i++)
		all.count += f.stacks.all[i]->count;
	f.all = all.count;
	html_section(o, "flame", "Flame graph");
	if (f.all) {
		out_str(o, "<div class=\"flame\">");
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
