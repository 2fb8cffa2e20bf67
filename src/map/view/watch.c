/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/watch.h"

#include "base/paint.h"
#include "base/wide.h"
#include "map/map.h"
#include "render/histogram.h"
#include "record/field.h"
#include "render/fit.h"
#include "render/jsonw.h"
#include "render/text.h"
#include "host/pace.h"

#define KEY_MIN 12u /* minimum width of the key */
#define NAME_MAX_COLUMNS 24u

/* In thousandths: more digits are noise of the clock. */
static double per_second(const struct watch *w, struct wide moved)
{
	struct wide far = wide_abs(moved);
	double ret;

	/* Over 2^86, thousandths do not matter. */
	if (far.hi >> (86 - 64) || !w->lap)
		return wide_double(moved) * NSEC_PER_SEC / (double)w->lap;
	ret = wide_double(wide_div(wide_add(wide_times(far, NSEC_PER_SEC * 1000), wide_u(w->lap / 2)), w->lap)) / 1000;
	return wide_is_neg(moved) ? -ret : ret;
}

static const unsigned char *elem_value(const struct watch *w, const unsigned char *elem)
{
	return elem + w->form.key_size;
}

static size_t value_size(const struct watch *w)
{
	return (size_t)elem_value_bytes(&w->form);
}

/* The plan of a whole value; NULL: bytes. */
static const struct value_plan *value_plan_whole(const struct watch *w)
{
	return w->form.cpus ? NULL : w->form.value;
}

static const char *leaf_name(const struct leaf *l)
{
	return *l->path == '.' ? l->path + 1 : l->path;
}

/* Consecutive cells, WATCH_COLUMNS to a row. */
enum { COL_KEY, COL_MEMBER, COL_VALUE, COL_CHANGE, COL_RATE };
struct cells {
	struct str text;
	size_t *end; /* of each cell */
	size_t n, max;
};
_Static_assert(COL_RATE + 1 == WATCH_COLUMNS, "a width for each column");

static void cell_end(struct cells *c)
{
	c->end[c->n++] = c->text.n;
}

static void plan_text(struct str *to, const struct value_plan *plan, const unsigned char *bytes, size_t size)
{
	struct jsonw json;
	struct out text;
	bool quoted;

	for (size_t i = 0; !plan && i < size && i < 64; i++)
		str_fmt(to, "%s%02x", i ? " " : "", bytes[i]);
	if (!plan)
		return;
	out_init(&text, -1);
	jsonw_init(&json, &text, false);
	value_print(plan, &json, bytes, size);
	quoted = text.n > 1 && text.buf[0] == '"';
	str_add(to, text.buf ? text.buf + quoted : "", text.n - 2 * (size_t)quoted);
	out_close(&text, NULL);
}

/* The member of the key after @i; the elements of a list count as one. */
static size_t key_next(const struct watch *w, size_t i)
{
	return i + (w->key.leaf[i].list ? w->key.leaf[i].list : 1);
}

/* Does the member differ between rows? All members do until there are two rows. */
static bool key_differs(const struct watch *w, size_t i)
{
	bool ret = !w->keys_differ;

	for (size_t k = i; k < key_next(w, i); k++)
		ret = ret || w->differs[k];
	return ret;
}

static void key_name(const struct watch *w, struct str *to, size_t i)
{
	const struct leaf *l = &w->key.leaf[i];
	const char *name = *l->path ? leaf_name(l) : "KEY";

	str_add(to, name, strlen(name) - (l->list ? strlen("[0]") : 0));
}

static void key_member(const struct watch *w, struct str *to, size_t i, const unsigned char *elem)
{
	for (size_t k = i; k < key_next(w, i); k++) {
		str_puts(to, k > i ? "," : "");
		plan_text(to, w->key.leaf[k].plan, elem, w->form.key_size);
	}
}

/* Values of the members that differ, in the order of the names in the heading; @elem NULL: the names. */
static void key_text(const struct watch *w, struct str *to, const unsigned char *elem)
{
	size_t from = to->n;

	if (!w->key.n && elem)
		plan_text(to, w->form.key, elem, w->form.key_size);
	else if (!w->key.n)
		str_puts(to, "KEY");
	for (size_t i = 0; i < w->key.n; i = key_next(w, i)) {
		if (!key_differs(w, i))
			continue;
		str_puts(to, to->n > from ? " " : "");
		if (elem)
			key_member(w, to, i, elem);
		else
			key_name(w, to, i);
	}
}

/* A member that differed once stays in the rows, so that the picture is stable. */
static void keys_compare(struct watch *w)
{
	const struct changes *c = &w->changes;

	for (size_t k = 0; k < w->key.n; k++) {
		for (size_t i = 1; i < c->n && !w->differs[k]; i++)
			w->differs[k] =
				!leaf_equal(&w->key.leaf[k], c->change[0].elem, c->change[i].elem, w->form.key_size);
		if (w->differs[k] && !w->keys_differ)
			w->width[COL_KEY] = 0;
		w->keys_differ |= w->differs[k];
	}
}

/* Members that are equal in all rows, and so not in the rows. */
static void common_draw(struct watch *w)
{
	STR text = { 0 }, line = { 0 };

	for (size_t i = 0; w->changes.n && i < w->key.n; i = key_next(w, i)) {
		if (key_differs(w, i))
			continue;
		str_puts(&text, text.n ? ", " : "all: ");
		key_name(w, &text, i);
		str_puts(&text, " ");
		key_member(w, &text, i, w->changes.change[0].elem);
	}
	if (!text.n)
		return;
	fit_text(&line, text.p, text.n, w->frame.columns);
	frame_put(&w->frame, line.p, line.n);
}

static void row_add(struct watch *w, struct cells *to, const struct change *c, const struct leaf *l, bool first)
{
	size_t row = to->n;
	struct wide moved;

	if (first)
		key_text(w, &to->text, c->elem);
	cell_end(to);
	str_puts(&to->text, c->kind != CHANGE_VALUE ? change_words[c->kind] : l && *l->path ? leaf_name(l) : "value");
	cell_end(to);
	plan_text(&to->text, l ? l->plan : value_plan_whole(w), elem_value(w, c->elem), value_size(w));
	cell_end(to);
	if (l && leaf_has_moved(l, &w->changes.lapse, elem_value(w, c->old), elem_value(w, c->elem), value_size(w),
				&moved)) {
		double rate = per_second(w, moved);

		str_fmt(&to->text, "%+.0f", wide_double(moved));
		cell_end(to);
		str_fmt(&to->text, "%+.*f", rate < 1000 && rate > -1000 ? 1 : 0, rate);
	} else {
		cell_end(to);
	}
	cell_end(to);
	for (size_t i = row; i < to->n; i++) {
		size_t n = to->end[i] - (i ? to->end[i - 1] : 0);

		/* A value without a rate may be long: it extends to the edge. */
		if ((i != row + COL_VALUE || to->end[row + COL_CHANGE] > to->end[i]) && n > w->width[i - row])
			w->width[i - row] = n;
	}
}

static void change_add(struct watch *w, struct cells *to, const struct change *c)
{
	bool first = true;

	if (c->kind != CHANGE_VALUE || !w->value.n) {
		row_add(w, to, c, NULL, true);
		return;
	}
	for (size_t i = 0; i < w->value.n && to->n < to->max; i++) {
		const struct leaf *l = &w->value.leaf[i];

		if (leaf_equal(l, elem_value(w, c->old), elem_value(w, c->elem), value_size(w)))
			continue;
		row_add(w, to, c, l, first);
		first = false;
	}
}

/* Fits @width: padded with blanks, or without its middle, because neighbouring values often have the same beginning. */
static void cell_put(struct str *row, const char *text, size_t n, size_t width, bool right)
{
	size_t wide = render_width(text, n), pad = wide < width ? width - wide : 0;

	if (right)
		str_fmt(row, "%*s", (int)pad, "");
	fit_text(row, text, n, width);
	if (!right)
		str_fmt(row, "%*s", (int)pad, "");
}

static void cell_draw(struct watch *w, const struct str *cell, enum role role)
{
	out_paint(w->frame.out, role);
	frame_add(&w->frame, cell->p, cell->n);
	out_paint(w->frame.out, ROLE_NONE);
}

/* The first row is the heading. */
static void row_draw(struct watch *w, const struct cells *c, size_t row)
{
	static const enum role roles[WATCH_COLUMNS] = {
		[COL_KEY] = ROLE_KEY, [COL_MEMBER] = ROLE_NAME, [COL_VALUE] = ROLE_CHANGED
	};
	bool rate = c->end[row + COL_RATE] > c->end[row + COL_VALUE];

	if (!frame_line(&w->frame))
		return;
	for (size_t i = 0; i < WATCH_COLUMNS; i++) {
		size_t at = row + i, from = at ? c->end[at - 1] : 0;
		STR cell = { 0 };

		if (i)
			frame_add(&w->frame, "  ", 2);
		if (i == COL_VALUE && !rate)
			str_add(&cell, c->text.p + from, c->end[at] - from);
		else
			cell_put(&cell, c->text.p + from, c->end[at] - from, w->width[i], i >= COL_VALUE);
		cell_draw(w, &cell, row ? roles[i] : ROLE_HEADING);
		if (i == COL_VALUE && !rate)
			return;
	}
}

static void head_draw(struct watch *w)
{
	const struct changes *c = &w->changes;
	char time[PACE_TIME];
	STR head = { 0 }, line = { 0 };

	str_fmt(&head, "%.8s UTC  map %u %s: %zu element%s", pace_time(time) + strlen("2026-11-21T"), w->map->info.id,
		w->map->name ? w->map->name : w->map->type, w->elems, plural(w->elems));
	for (int i = 0; i < CHANGE_KINDS; i++)
		if (c->kinds[i])
			str_fmt(&head, ", %zu %s", c->kinds[i], change_words[i]);
	str_fmt(&head, " in %.2fs", (double)w->lap / NSEC_PER_SEC);
	fit_text(&line, head.p, head.n, w->frame.columns);
	frame_put(&w->frame, line.p, line.n);
}

static void heading_add(struct watch *w, struct cells *to)
{
	static const char *const words[] = { NULL, "MEMBER", "VALUE", "CHANGE", "PER SECOND" };

	for (size_t i = 0; i < WATCH_COLUMNS; i++) {
		size_t from = to->text.n;

		if (words[i])
			str_puts(&to->text, words[i]);
		else
			key_text(w, &to->text, NULL);
		cell_end(to);
		w->width[i] = to->text.n - from > w->width[i] ? to->text.n - from : w->width[i];
	}
}

/* Columns never become narrower, so that the picture is stable; the key gets the remaining width. */
static void widths_fit(struct watch *w)
{
	size_t others = 2 * (WATCH_COLUMNS - 1), left;

	w->width[COL_MEMBER] = w->width[COL_MEMBER] < NAME_MAX_COLUMNS ? w->width[COL_MEMBER] : NAME_MAX_COLUMNS;
	for (size_t i = COL_MEMBER; i < WATCH_COLUMNS; i++)
		others += w->width[i];
	left = w->frame.columns > others + KEY_MIN ? w->frame.columns - others : KEY_MIN;
	w->width[COL_KEY] = w->width[COL_KEY] < left ? w->width[COL_KEY] : left;
}

void watch_draw(struct watch *w)
{
	const struct changes *c = &w->changes;
	struct cells cells = { 0 };

	frame_begin(&w->frame);
	head_draw(w);
	keys_compare(w);
	common_draw(w);
	cells.max = (size_t)(w->frame.rows > 3 ? w->frame.rows - 2 : 1) * WATCH_COLUMNS;
	cells.end = arena_array(w->arena, cells.max, sizeof(*cells.end));
	heading_add(w, &cells);
	for (size_t i = 0; i < c->n && (!w->limit || i < w->limit) && cells.n < cells.max; i++)
		change_add(w, &cells, &c->change[i]);
	widths_fit(w);
	for (size_t row = 0; row < cells.n; row += WATCH_COLUMNS)
		row_draw(w, &cells, row);
	frame_end(&w->frame);
	str_release(&cells.text);
}

#define FIELD_WATCH_TEXT(T, m, nm, help) FIELD(T, m, nm, help, .flags = FIELD_NOPLAIN)
#define FIELD_WATCH_VALUE(T, m, nm, help) FIELD_AS(T, m, FT_JSON, nm, help, .flags = FIELD_NOPLAIN)
static const struct field member_fields[] = {
	FIELD_WATCH_TEXT(changed_member, name, "name", "path of the member"),
	FIELD_WATCH_VALUE(changed_member, old, "old", "previous value"),
	FIELD_WATCH_VALUE(changed_member, value, "value", "value (the present one)"),
	FIELD_WATCH_VALUE(changed_member, delta, "delta", "for a number: change"),
	FIELD_WATCH_VALUE(changed_member, rate, "rate", "change per second"),
};
static const struct schema schema_changed_member = SCHEMA("changed_member", changed_member, member_fields);

static const struct field watch_fields[] = {
	FIELD_WATCH_TEXT(watch_rec, time, "time", "when it happened (the read)"),
	FIELD_WATCH_TEXT(watch_rec, change, "change", "kind of change: new, gone or changed"),
	FIELD_WATCH_VALUE(watch_rec, key, "key", "key of the element"),
	FIELD_WATCH_VALUE(watch_rec, old, "old", "previous value, if it has no members"),
	FIELD_WATCH_VALUE(watch_rec, value, "value", "value, where it has no members that changed"),
	FIELD_ROWS(watch_rec, members, nmembers, &schema_changed_member, "members", "members that changed",
		   .flags = FIELD_NOPLAIN, FIELD_WHEN(watch_rec, has_members)),
};
const struct schema schema_change = SCHEMA("map_change", watch_rec, watch_fields);

static const char *double_json(struct arena *a, double v)
{
	struct jsonw_text t;

	jsonw_double(jsonw_text_begin(&t), v);
	return jsonw_text_end(&t, a);
}

static const char *watch_json(const struct watch *w, const struct value_plan *plan, const unsigned char *elem)
{
	return elem_value_json(plan, elem_value(w, elem), value_size(w), w->arena);
}

static void changed_read(const struct watch *w, const struct change *c, const struct leaf *l,
			 struct changed_member *ret)
{
	struct arena *a = w->arena;
	struct wide moved;

	*ret = (struct changed_member){
		.name = arena_fmt(a, "value%s", l->path),
		.old = watch_json(w, l->plan, c->old),
		.value = watch_json(w, l->plan, c->elem),
	};
	if (!leaf_has_moved(l, &w->changes.lapse, elem_value(w, c->old), elem_value(w, c->elem), value_size(w), &moved))
		return;
	ret->delta = wide_cmp(moved, wide_s(INT64_MIN)) < 0 ? double_json(a, wide_double(moved)) : wide_json(a, moved);
	ret->rate = double_json(a, per_second(w, moved));
}

void change_read(const struct watch *w, const char *time, const struct change *c, struct watch_rec *ret)
{
	bool changed = c->kind == CHANGE_VALUE, members = changed && w->value.n;
	struct changed_member *rows;

	*ret = (struct watch_rec){
		.time = time,
		.change = change_words[c->kind],
		.has_members = members ? AVAIL_YES : AVAIL_NO,
		.key = elem_value_json(w->form.key, c->elem, w->form.key_size, w->arena),
		.old = changed && !members ? watch_json(w, value_plan_whole(w), c->old) : NULL,
		.value = members ? NULL : watch_json(w, value_plan_whole(w), c->elem),
	};
	if (!members)
		return;
	ret->members = rows = arena_array(w->arena, w->value.n, sizeof(*rows));
	for (size_t i = 0; i < w->value.n; i++)
		if (!leaf_equal(&w->value.leaf[i], elem_value(w, c->old), elem_value(w, c->elem), value_size(w)))
			changed_read(w, c, &w->value.leaf[i], &rows[ret->nmembers++]);
}
