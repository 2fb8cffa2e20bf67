/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/branches.h"

#include "render/fit.h"
#include "render/text.h"

#define STEP 3	 /* characters per level */
#define LEAST 32 /* characters that are left for a node, however deep */

struct branches_style {
	const char *fork, *last, *pass, *none, *cut;
};
static const struct branches_style lines = { "├─ ", "└─ ", "│  ", "   ", "…  " };
static const struct branches_style ascii = { "|- ", "`- ", "|  ", "   ", ".. " };

void branches_begin(struct branches *b, struct out *o)
{
	*b = (struct branches){ .out = o, .style = out_utf8() ? &lines : &ascii };
	out_init(&b->text, -1);
}

void branches_end(struct branches *b)
{
	out_close(&b->text, NULL);
	str_release(&b->levels);
}

static void add_text(struct branches *b, const char *text)
{
	size_t at = b->text.n;

	out_text(&b->text, text);
	render_untab(&b->text, at);
}

static void leaf_add(struct branches *b, enum role role, const char *text, unsigned char gap)
{
	size_t at = b->text.n;

	if (!text || !*text || b->ncells == BRANCHES_CELLS)
		return;
	add_text(b, text);
	b->cell[b->ncells] =
		(struct branches_cell){ .at = at, .n = b->text.n - at, .role = role, .gap = b->ncells ? gap : 0 };
	b->ncells++;
}

void branches_cell(struct branches *b, enum role role, const char *text)
{
	leaf_add(b, role, text, FIT_GAP);
}

void branches_word(struct branches *b, enum role role, const char *text)
{
	leaf_add(b, role, text, 1);
}

void branches_glue(struct branches *b, const char *glue, const char *text)
{
	struct branches_cell *c = &b->cell[b->ncells - 1];

	add_text(b, glue);
	add_text(b, text);
	c->n = b->text.n - c->at;
}

/* Returns the number of characters printed. */
static size_t put_margin(struct branches *b, size_t room)
{
	const struct branches_style *s = b->style;
	size_t depth = b->levels.n, most = room > LEAST + STEP ? (room - LEAST) / STEP : 1,
	       from = room && depth > most ? depth - most : 0;

	for (size_t i = from; i + 1 < depth; i++)
		out_str(b->out, from && i == from ? s->cut : b->levels.p[i] == '|' ? s->pass : s->none);
	if (depth)
		out_str(b->out, b->levels.p[depth - 1] == '|' ? s->fork : s->last);
	return (depth - from) * STEP;
}

static void put_cell(struct branches *b, const struct branches_cell *c, size_t width)
{
	STR s = { 0 };

	fit_text(&s, b->text.buf + c->at, c->n, width);
	out_paint(b->out, c->role);
	out_bytes(b->out, s.p, s.n);
	out_paint(b->out, ROLE_NONE);
}

void branches_line(struct branches *b)
{
	struct fit fit[BRANCHES_CELLS] = { 0 };
	size_t room = out_line(b->out), margin = put_margin(b, room), spare = 0;

	for (size_t i = 0; i < b->ncells; i++) {
		const size_t width = render_width(b->text.buf + b->cell[i].at, b->cell[i].n);

		fit[i] = (struct fit){ .width = width, .least = b->cell[i].role == ROLE_ID ? width : 1 };
		spare += i ? FIT_GAP - b->cell[i].gap : 0;
	}
	if (room)
		fit_columns(fit, b->ncells, (room > margin ? room - margin : 1) + spare);
	for (size_t i = 0; i < b->ncells; i++) {
		render_pad(b->out, b->cell[i].gap);
		put_cell(b, &b->cell[i], fit[i].width);
	}
	out_char(b->out, '\n');
	b->ncells = 0;
	b->text.n = 0;
}

void branches_open(struct branches *b, bool last)
{
	str_puts(&b->levels, last ? " " : "|");
}

void branches_close(struct branches *b)
{
	b->levels.p[--b->levels.n] = '\0';
}
