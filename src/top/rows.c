/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/rows.h"

#include "cli/columns.h"
#include "cli/env.h"
#include "prog/prog.h"
#include "record/field.h"
#include "top/top.h"

static const struct field fields[] = {
	STATS_FIELDS(top_rec, s., 0),
	FIELD(top_rec, history, "history",
	      "share of the CPU in the last 60 intervals, the newest on the right, a full block is its highest",
	      .role = ROLE_BAR, .flags = FIELD_NONZERO, .drop = 4),
	FIELD_IF(top_rec, where, has_where, "where", "place, or several separated by commas, in the words of ls",
		 .role = ROLE_PLACE, .need = NEED_JOIN, .flags = FIELD_DEFAULT),
	FIELD_OWNER(top_rec, owner, has_owner, .need = NEED_OWNER, .flags = FIELD_DEFAULT, .drop = 5),
	FIELD_IF(top_rec, memlock, has_memlock, "bytes_memlock", "memory that it is charged for", .unit = FU_SIZE,
		 .need = NEED_FDINFO),
};
const struct schema top_schema = SCHEMA("top", top_rec, fields);

#define COLUMNS "id,cpu_percent,runs_per_sec,run_avg_ns,history,name,where,owner"
#define NCOLUMNS 8

void rows_init(struct rows *r)
{
	*r = (struct rows){ .arena = arena_new() };
}

void rows_release(struct rows *r)
{
	arena_free(r->arena);
	*r = (struct rows){ .arena = NULL };
}

int rows_want(struct rows *r, struct env *env, const struct rows_wish *w, struct err *e)
{
	const bool more = w->columns && *w->columns == '+';
	const char *columns = more		   ? arena_fmt(env->keep, COLUMNS ",%s", w->columns + 1) :
			      w->columns || w->all ? w->columns :
						     COLUMNS;
	struct view v;
	int err = columns_view(env, &v, &top_schema, NULL, columns, w->filter, w->sort ? w->sort : "-cpu_percent", e);

	if (!err)
		err = env_now(env, &v, e);
	if (err)
		return err;
	if (v.ncols && (more || !w->columns))
		v.nusual = NCOLUMNS;
	r->view = v;
	r->wish = *w;
	return 0;
}

void rows_update(struct rows *r, struct history *h, uint64_t lapse_ns, const char *time)
{
	struct stats_rec *rec;

	arena_clear(r->arena);
	time = time ? arena_str(r->arena, time, SIZE_MAX) : NULL;
	r->nrec = history_end(h, lapse_ns, time, r->arena, &rec);
	r->rec = arena_array(r->arena, r->nrec, sizeof(*r->rec));
	r->row = arena_array(r->arena, r->nrec, sizeof(*r->row));
	r->idle = r->gone = r->n = 0;
	for (size_t i = 0; i < r->nrec; i++) {
		const bool is_here = rec[i].has_counts == AVAIL_YES;

		r->rec[i] = (struct top_rec){ .s = rec[i], .of = is_here ? history_find(h, rec[i].id) : NULL };
		r->gone += !is_here;
		r->idle += is_here && !rec[i].run_cnt;
	}
}

/* What was learnt meanwhile. */
static void places_set(struct top_rec *r)
{
	const struct history_prog *p = r->of;

	if (!p)
		return;
	r->where = p->where;
	r->owner = p->owner;
	r->memlock = p->memlock;
	r->has_where = p->learnt ? p->has_where : AVAIL_UNKNOWN;
	r->has_owner = p->learnt ? p->has_owner : AVAIL_UNKNOWN;
	r->has_memlock = p->learnt ? p->has_memlock : AVAIL_UNKNOWN;
}

/* What a word is about. */
enum about { ABOUT_WHO, ABOUT_TYPE, ABOUT_WHERE, ABOUT_OWNER, ABOUTS };

static bool is_about(const struct top_rec *r, const char *word, enum about about, bool loose)
{
	uint32_t id;

	switch (about) {
	case ABOUT_WHO:
		if (r->s.name && (loose ? strstr(r->s.name, word) != NULL : !strcmp(r->s.name, word)))
			return true;
		return !num_parse_u32(word, &id) && id == r->s.id;
	case ABOUT_TYPE:
		return !strcmp(r->s.type, word);
	case ABOUT_WHERE:
		return r->where && strstr(r->where, word);
	default:
		return r->owner && strstr(r->owner, word);
	}
}

struct top_word {
	const char *text;
	enum about about;
	bool loose;
};

/* A whole name goes before a part of one. What no program has may be the name of one that comes. */
static struct top_word top_word_find(const struct rows *r, const char *text)
{
	for (int loose = false; loose <= true; loose++)
		for (enum about a = ABOUT_WHO; a < ABOUTS; a++)
			for (size_t i = 0; i < r->nrec; i++)
				if (is_about(&r->rec[i], text, a, loose))
					return (struct top_word){ text, a, loose };
	return (struct top_word){ text, ABOUT_WHO, true };
}

static bool words_match(const struct top_rec *r, const struct top_word *w, size_t n)
{
	unsigned asked = 0, got = 0;

	for (size_t i = 0; i < n; i++) {
		asked |= 1u << w[i].about;
		if (is_about(r, w[i].text, w[i].about, w[i].loose))
			got |= 1u << w[i].about;
	}
	return asked == got;
}

static void idle_move(struct rows *r)
{
	ARENA a = arena_new();
	const struct top_rec **idle = arena_array(a, r->n, sizeof(*idle));
	size_t n = 0, nidle = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!r->row[i]->s.run_cnt)
			idle[nidle++] = r->row[i];
		else
			r->row[n++] = r->row[i];
	memcpy(r->row + n, idle, nidle * sizeof(*idle));
}

void rows_choose(struct rows *r, bool idle_last)
{
	ARENA a = arena_new();
	struct top_word *w = arena_array(a, r->wish.words.n, sizeof(*w));

	for (size_t i = 0; i < r->nrec; i++)
		places_set(&r->rec[i]);
	for (size_t i = 0; i < r->wish.words.n; i++)
		w[i] = top_word_find(r, r->wish.words.word[i]);
	r->n = 0;
	for (size_t i = 0; i < r->nrec; i++)
		if (!(idle_last && !r->rec[i].of) && words_match(&r->rec[i], w, r->wish.words.n) &&
		    view_match(&r->view, &top_schema, &r->rec[i]))
			r->row[r->n++] = &r->rec[i];
	view_sort(&r->view, &top_schema, (const void **)r->row, r->n);
	if (idle_last)
		idle_move(r);
}

const char *rows_spark(const struct history_ring *h, unsigned cells, struct arena *a)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *level = out_utf8() ? blocks : ascii;
	const unsigned per = (HISTORY_POINTS + cells - 1) / cells;
	float all = 0;
	STR text = { 0 };

	for (unsigned i = 0; i < h->n; i++)
		all = history_ring_at(h, i).cpu_percent > all ? history_ring_at(h, i).cpu_percent : all;
	for (unsigned c = 0; c < cells; c++) {
		/* Counted from the newest point back. */
		const unsigned end = (cells - c) * per, from = end > h->n ? 0 : h->n - end,
			       to = (cells - c - 1) * per > h->n ? 0 : h->n - (cells - c - 1) * per;
		float most = 0;

		for (unsigned i = from; i < to; i++)
			most = history_ring_at(h, i).cpu_percent > most ? history_ring_at(h, i).cpu_percent : most;
		str_puts(&text, level[most > 0 ? 1 + (unsigned)(most / all * 7 + 0.5f) : 0]);
	}
	return arena_str(a, text.p ? text.p : "", text.n);
}

void rows_draw_history(struct rows *r, size_t first, size_t n)
{
	for (size_t i = first; i < r->n && i < first + n; i++)
		if (r->row[i]->of)
			r->rec[r->row[i] - r->rec].history = rows_spark(&r->row[i]->of->ring, ROWS_CELLS, r->arena);
}
