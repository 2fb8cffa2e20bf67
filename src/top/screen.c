/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/screen.h"

#include "base/paint.h"
#include "cli/env.h"
#include "record/field.h"
#include "render/render.h"
#include "render/text.h"
#include "top/top.h"

/* The keys, for the last line and for help. */
static const struct key_row {
	const char *key, *word, *help;
	enum { KEY_EVERYWHERE, KEY_IN_RECORDING, KEY_IN_PROG, KEY_IN_MAPS } where;
} keys[] = {
	{ "q", "quit", "quit; elsewhere, as Escape, back to the list" },
	{ "?", "help", "this help" },
	{ "[ ] { }", "time", "a moment back or forth, { } a minute", KEY_IN_RECORDING },
	{ "/", "filter", "filter: words as in ls, or an expression as for -Q; nothing shows all" },
	{ "s", "sort", "sort by a column, descending with -" },
	{ "a", "code", "in the view of a program: its code, sampled now", KEY_IN_PROG },
	{ "u", "updates", "in the list of maps: count calls that change their elements, or not", KEY_IN_MAPS },
	{ "m", "maps", "maps, or programs again" },
	{ "e", "events", "loads, unloads and other events, the newest last" },
	{ "Enter", "more", "the selected program: what it is, its history and its maps" },
	{ "o", "columns", "columns; with + in addition to the usual ones" },
	{ "space", "freeze", "freeze, or go on" },
	{ "w", "write", "write the screen to a file" },
};

static void line_end(struct out *o)
{
	out_char(o, '\n');
}

static unsigned lines_in(const struct out *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->buf[i] == '\n';
	return n;
}

static void count_put(struct out *o, const char *before, uint64_t n, const char *noun)
{
	out_fmt(o, "%s%llu %s%s", before, llu(n), noun, plural(n));
}

static void head_cost(const struct picture *p, struct out *o)
{
	const struct history_ring *all = &p->history->all;
	const double cpu = all->n ? (double)history_ring_at(all, all->n - 1).cpu_percent : 0;

	if (!p->head.lapse_ns) {
		out_str(o, "the first interval is not over yet\n");
		return;
	}
	out_fmt(o, "BPF %.2f%% of one CPU", cpu);
	if (p->head.cpus > 1)
		out_fmt(o, ", %.2f%% of %u", cpu / p->head.cpus, p->head.cpus);
	if (p->head.busy_percent >= 0)
		out_fmt(o, "; machine %.0f%%", p->head.busy_percent);
	if (p->head.time)
		out_fmt(o, "  %.8s UTC", p->head.time + strlen("2026-11-21T"));
	line_end(o);
}

static void head_objects(const struct picture *p, struct out *o)
{
	const struct history *h = p->history;
	char size[16];

	count_put(o, "", h->n, "program");
	out_fmt(o, ", %zu idle, %llu new, %llu gone", p->rows->idle, llu(h->loads), llu(h->unloads));
	if (p->head.has_maps)
		count_put(o, "; ", p->head.nr_maps, "map");
	if (p->head.bytes)
		out_fmt(o, "; %s%s", p->head.has_bytes == AVAIL_UNKNOWN ? "at least " : "",
			num_human(size, sizeof(size), p->head.bytes));
	line_end(o);
}

static void head_history(const struct picture *p, unsigned columns, struct out *o)
{
	const struct history_ring *all = &p->history->all;
	const unsigned cells = columns >= 80 ? HISTORY_POINTS : HISTORY_POINTS / 2;
	ARENA a = arena_new();
	float most = 0;

	for (unsigned i = 0; i < all->n; i++)
		most = history_ring_at(all, i).cpu_percent > most ? history_ring_at(all, i).cpu_percent : most;
	out_paint(o, ROLE_BAR);
	out_str(o, rows_spark(all, cells, a));
	out_paint(o, ROLE_NONE);
	out_fmt(o, " at most %.2f%%\n", (double)most);
}

void screen_head(const struct picture *p, unsigned columns, bool history, struct out *o)
{
	head_cost(p, o);
	head_objects(p, o);
	if (history)
		head_history(p, columns, o);
}

/* Copies @lines lines of text, each cut at the edge, from line @first on. */
static void lines_copy(const struct out *text, size_t first, size_t lines, unsigned columns, struct out *o)
{
	const char *p = text->buf, *end = text->buf + text->n;

	for (size_t i = 0; p < end && i < first + lines; i++) {
		const char *to = memchr(p, '\n', (size_t)(end - p));
		size_t filled = 0, width, len;

		to = to ? to : end;
		for (; i >= first && p < to; p += len, filled += width) {
			len = render_char(p, (size_t)(to - p), &width);
			if (filled + width > columns)
				break;
			out_bytes(o, p, len);
		}
		if (i >= first && p < to && o->color)
			out_str(o, "\033[0m");
		if (i >= first)
			line_end(o);
		p = to + 1;
	}
}

static void out_like(struct out *ret, const struct out *o)
{
	out_init(ret, -1);
	ret->tty = true;
	ret->color = o->color;
	ret->palette = o->palette;
	ret->columns = o->columns;
}

/* Where the selected program is now, and which rows are shown. */
static void list_place(struct screen *s, const struct rows *r)
{
	for (size_t i = 0; s->id && i < r->n; i++)
		if (r->row[i]->s.id == s->id)
			s->at = i;
	s->rows = r->n;
	s->at = s->at < r->n ? s->at : r->n ? r->n - 1 : 0;
	s->id = s->follows && r->n ? r->row[s->at]->s.id : 0;
	s->shown = r->n ? r->row[s->at]->s.id : 0;
	if (s->at < s->first)
		s->first = s->at;
	if (s->at >= s->first + s->page)
		s->first = s->at - s->page + 1;
	if (s->first + s->page > r->n)
		s->first = r->n > s->page ? r->n - s->page : 0;
}

/* The line of the selected row is shown in reverse, without its colours. */
static void line_select(struct out *o, size_t from, unsigned columns)
{
	STR text = { 0 };
	size_t width;

	for (size_t i = from, len; i < o->n; i += len) {
		len = render_char(o->buf + i, o->n - i, &width);
		if (o->buf[i] != '\033' && o->buf[i] != '\n')
			str_add(&text, o->buf + i, len);
	}
	o->n = from;
	out_str(o, "\033[7m");
	out_bytes(o, text.p ? text.p : "", text.n);
	width = render_width(text.p ? text.p : "", text.n);
	render_pad(o, columns > width ? columns - width : 0);
	out_str(o, "\033[0m\n");
}

void screen_say(const char *text, const char *more, struct out *o)
{
	struct out folded;

	render_fold(&folded, o);
	out_fmt(&folded, "%s%s%s\n", text, *more ? "; " : "", more);
	render_put_folded(&folded, o);
}

void screen_table(const struct schema *schema, const struct view *v, const void *const *rec, size_t n, struct arena *a,
		  struct out *o)
{
	struct render table = { .ops = &render_table, .out = o, .arena = a, .headings = true, .one_line = true };

	render_begin(&table);
	render_section(&table, schema, v);
	for (size_t i = 0; i < n; i++)
		render_record(&table, rec[i]);
	render_end(&table);
}

static void list_draw(struct screen *s, const struct picture *p, unsigned columns, unsigned lines, struct out *o)
{
	ARENA_SCOPE(p->env->arena);
	struct rows *r = p->rows;
	struct out text;
	size_t n;

	s->page = lines > 1 ? lines - 1 : 1;
	list_place(s, r);
	n = r->n - s->first < s->page ? r->n - s->first : s->page;
	rows_draw_history(r, s->first, n);
	out_like(&text, o);
	screen_table(&top_schema, &r->view, (const void *const *)(r->row + s->first), n, p->env->arena, &text);
	if (!r->n && p->head.lapse_ns)
		out_str(&text, r->nrec ? "no program matches\n" : "no programs\n");
	for (size_t i = 0; i < lines; i++) {
		const size_t from = o->n;

		lines_copy(&text, i, 1, columns, o);
		if (o->tty && o->n > from && r->n && i == 1 + s->at - s->first)
			line_select(o, from, columns);
	}
	out_close(&text, NULL);
}

static void help_draw(const struct picture *p, struct out *o)
{
	struct out text;

	render_fold(&text, o);
	out_str(&text,
		"Programs are sorted by the time that they took in the last interval; those that did not run are last. "
		"The kernel counts runs while this screen is shown.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (keys[i].where == (p->head.from ? KEY_IN_MAPS : KEY_IN_RECORDING))
			continue;
		out_paint(&text, ROLE_HEADING);
		out_fmt(&text, "%-8s", keys[i].key);
		out_paint(&text, ROLE_NONE);
		out_fmt(&text, "%s\n", keys[i].help);
	}
	out_str(&text,
		"\nArrows, PgUp, PgDn, Home and End select a program, or move the text. Any other key leaves this help.\n");
	render_put_folded(&text, o);
}

/* The headings of a table stay, and so does the end of the events, unless the user moved away from it. */
static void body_draw(struct screen *s, const struct picture *p, unsigned columns, unsigned lines, struct out *o)
{
	const unsigned fixed = s->mode == SCREEN_MAPS || s->mode == SCREEN_EVENTS;
	struct out text;
	bool end;

	if (s->mode == SCREEN_PROGS) {
		list_draw(s, p, columns, lines, o);
		return;
	}
	end = s->mode == SCREEN_EVENTS && s->first + s->page >= s->rows;
	out_like(&text, o);
	if (s->mode == SCREEN_HELP)
		help_draw(p, &text);
	else if (p->detail)
		out_bytes(&text, p->detail->buf, p->detail->n);
	s->page = lines > fixed ? lines - fixed : 1;
	s->rows = lines_in(&text) > fixed ? lines_in(&text) - fixed : 0;
	if (end || s->first + s->page > s->rows)
		s->first = s->rows > s->page ? s->rows - s->page : 0;
	lines_copy(&text, 0, fixed, columns, o);
	lines_copy(&text, fixed + s->first, lines - fixed, columns, o);
	out_close(&text, NULL);
}

static bool key_is_shown(const struct key_row *k, const struct screen *s, const struct picture *p)
{
	return k->where == KEY_IN_RECORDING ? p->head.from != NULL :
	       k->where == KEY_IN_PROG	    ? s->mode == SCREEN_PROG || s->mode == SCREEN_CODE :
	       k->where == KEY_IN_MAPS	    ? s->mode == SCREEN_MAPS && !p->head.from :
					      true;
}

/* Those that fit. */
static void keys_draw(const struct screen *s, const struct picture *p, struct out *o)
{
	const char *gap = s->frozen ? "frozen " : "";
	size_t filled = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *word = i || s->mode == SCREEN_PROGS ? keys[i].word : "back";
		const size_t more = strlen(gap) + strlen(keys[i].key) + 1 + strlen(word);

		if (!key_is_shown(&keys[i], s, p) || filled + more > o->columns)
			continue;
		out_str(o, gap);
		out_paint(o, ROLE_HEADING);
		out_str(o, keys[i].key);
		out_paint(o, ROLE_NONE);
		out_fmt(o, " %s", word);
		gap = o->columns < 100 ? " " : "  ";
		filled += more;
	}
}

static const char *const prompts[] = { "", "filter: ", "sort by: ", "columns: ", "write to: " };

static void last_line_draw(const struct screen *s, const struct picture *p, unsigned columns, struct out *o)
{
	struct out text;

	out_like(&text, o);
	if (s->ask) {
		out_str(&text, prompts[s->ask]);
		out_text(&text, s->typed);
		out_str(&text, "_");
	} else if (*s->message) {
		out_text(&text, s->message);
	} else {
		keys_draw(s, p, &text);
	}
	line_end(&text);
	lines_copy(&text, 0, 1, columns, o);
	out_close(&text, NULL);
}

void screen_draw(struct screen *s, const struct picture *p, unsigned columns, unsigned lines, struct out *o)
{
	struct out head;
	size_t used, at;

	o->columns = columns;
	out_like(&head, o);
	screen_head(p, columns, true, &head);
	used = lines_in(&head);
	lines_copy(&head, 0, lines > used + 1 ? used : lines - 1, columns, o);
	out_close(&head, NULL);
	if (lines > used + 1)
		body_draw(s, p, columns, lines - (unsigned)used - 1, o);
	for (at = lines_in(o); at + 1 < lines; at++)
		line_end(o);
	last_line_draw(s, p, columns, o);
}
