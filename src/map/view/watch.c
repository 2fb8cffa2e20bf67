/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/watch.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "base/str.h"
#include "map/view/histogram.h"
#include "map/map.h"
#include "render/jsonw.h"
#include "host/pace.h"

#define NUMBERS 52u			/* columns of value, change and rate with the blanks before them */

static double per_second(const struct watch *w, __int128 moved)
{
	return (double)moved * 1e9 / (double)w->lap;
}

static const unsigned char *value_of(const struct watch *w, const unsigned char *elem)
{
	return elem + w->form.key_size;
}

static size_t value_size(const struct watch *w)
{
	return (size_t)elem_value_bytes(&w->form);
}

/* How whole values are printed; NULL: as bytes. */
static const struct value_plan *whole(const struct watch *w)
{
	return w->form.cpus ? NULL : w->form.value;
}

/* A value, or a member of it, as text. */
static void value_cell(const struct watch *w, const struct value_plan *plan, const unsigned char *elem, struct out *to)
{
	struct jsonw json;

	if (!plan) {
		for (size_t i = 0; i < value_size(w) && i < 64; i++)
			out_fmt(to, "%s%02x", i ? " " : "", value_of(w, elem)[i]);
		return;
	}
	jsonw_init(&json, to, false);
	value_print(plan, &json, value_of(w, elem), value_size(w));
}

static const char *member_name(const struct leaf *l)
{
	return !l || !*l->path ? "value" : *l->path == '.' ? l->path + 1 : l->path;
}

/* Cut or filled up with blanks. */
static void cell(struct str *row, const struct out *text, size_t width, bool right)
{
	size_t n = text->n < width ? text->n : width;

	if (right)
		str_fmt(row, "%*s", (int)(width - n), "");
	str_add(row, text->buf ? text->buf : "", n);
	if (!right)
		str_fmt(row, "%*s", (int)(width - n), "");
}

static void key_cell(const struct watch *w, struct str *row, const unsigned char *elem, size_t width)
{
	struct out text;

	out_init(&text, -1);
	if (elem && w->form.key) {
		elem_key_text(&w->form, &text, elem);
	} else if (elem) {
		for (size_t i = 0; i < w->form.key_size && i < 64; i++)
			out_fmt(&text, "%s%02x", i ? " " : "", elem[i]);
	}
	cell(row, &text, width, false);
	out_close(&text, NULL);
}

static void row_draw(struct watch *w, const struct change *c, const struct leaf *l, bool first, size_t key, size_t name)
{
	struct out text, member;
	STR row = { 0 };
	__int128 moved;

	out_init(&text, -1);
	out_init(&member, -1);
	key_cell(w, &row, first ? c->elem : NULL, key);
	str_puts(&row, "  ");
	out_str(&member, c->kind == CHANGE_VALUE ? member_name(l) : change_words[c->kind]);
	cell(&row, &member, name, false);
	value_cell(w, l ? l->plan : whole(w), c->elem, &text);
	if (l && leaf_moved(l, value_of(w, c->old), value_of(w, c->elem), value_size(w), &moved)) {
		double rate = per_second(w, moved);

		str_puts(&row, "  ");
		cell(&row, &text, 20, true);
		str_fmt(&row, " %+14.0f %+14.*f", (double)moved, rate < 1000 && rate > -1000 ? 1 : 0, rate);
	} else {
		str_puts(&row, "  ");
		str_add(&row, text.buf ? text.buf : "", text.n);
	}
	frame_put(&w->frame, row.p, row.n);
	out_close(&member, NULL);
	out_close(&text, NULL);
}

static void change_draw(struct watch *w, const struct change *c, size_t key, size_t name)
{
	bool first = true;

	if (c->kind != CHANGE_VALUE || !w->value.n) {
		row_draw(w, c, NULL, true, key, name);
		return;
	}
	for (size_t i = 0; i < w->value.n && w->frame.used + 1 < w->frame.rows; i++) {
		const struct leaf *l = &w->value.leaf[i];

		if (leaf_equal(l, value_of(w, c->old), value_of(w, c->elem), value_size(w)))
			continue;
		row_draw(w, c, l, first, key, name);
		first = false;
	}
}

static size_t name_width(const struct watch *w)
{
	size_t width = strlen("changed");

	for (size_t i = 0; i < w->value.n; i++) {
		size_t n = strlen(member_name(&w->value.leaf[i]));

		width = n > width ? n : width;
	}
	return width < 24 ? width : 24;
}

void watch_draw(struct watch *w)
{
	const struct changes *c = &w->changes;
	size_t i, left, name = name_width(w), key;
	char time[PACE_TIME];
	STR head = { 0 };

	frame_begin(&w->frame);
	left = w->frame.columns > NUMBERS + name + 2 ? w->frame.columns - NUMBERS - name - 2 : 0;
	key = left < 12 ? 12 : left > 60 ? 60 : left;
	str_fmt(&head, "map %u %s %s: %zu element%s, %zu changed, %zu new, %zu gone in %.2fs; %.8s UTC", w->map->info.id, w->map->type,
		w->map->name ? w->map->name : "", w->elems, w->elems == 1 ? "" : "s", c->kinds[CHANGE_VALUE], c->kinds[CHANGE_NEW],
		c->kinds[CHANGE_GONE], (double)w->lap / 1e9, pace_time(time, sizeof(time)) + strlen("2026-11-21T"));
	frame_put(&w->frame, head.p, head.n);
	str_reset(&head);
	str_fmt(&head, "%-*s  %-*s  %20s %14s %14s", (int)key, "KEY", (int)name, "MEMBER", "VALUE", "CHANGE", "PER SECOND");
	out_paint(w->frame.out, OUT_BOLD);
	frame_put(&w->frame, head.p, head.n);
	out_paint(w->frame.out, OUT_RESET);
	for (i = 0; i < c->n && (!w->limit || i < w->limit) && w->frame.used + 1 < w->frame.rows; i++)
		change_draw(w, &c->change[i], key, name);
	frame_end(&w->frame);
}

static void name_and_value(const struct watch *w, struct jsonw *to, const char *name, const struct value_plan *plan,
			   const unsigned char *elem)
{
	jsonw_name(to, name);
	if (plan)
		value_print(plan, to, value_of(w, elem), value_size(w));
	else
		jsonw_hexbytes(to, value_of(w, elem), value_size(w));
}

static void member_json(const struct watch *w, struct jsonw *to, const struct change *c, const struct leaf *l)
{
	__int128 moved;

	jsonw_object(to);
	jsonw_name(to, "name");
	jsonw_fmt(to, "value%s", l->path);
	name_and_value(w, to, "old", l->plan, c->old);
	name_and_value(w, to, "value", l->plan, c->elem);
	if (leaf_moved(l, value_of(w, c->old), value_of(w, c->elem), value_size(w), &moved)) {
		jsonw_name(to, "delta");
		if (moved < INT64_MIN)
			jsonw_double(to, (double)moved);
		else
			jsonw_int128(to, moved);
		jsonw_name(to, "rate");
		jsonw_double(to, per_second(w, moved));
	}
	jsonw_end(to);
}

void watch_json(const struct watch *w, const char *time, const struct change *c, struct jsonw *to)
{
	jsonw_object(to);
	jsonw_name(to, "time");
	jsonw_str(to, time);
	jsonw_name(to, "change");
	jsonw_str(to, change_words[c->kind]);
	jsonw_name(to, "key");
	if (w->form.key)
		value_print(w->form.key, to, c->elem, w->form.key_size);
	else
		jsonw_hexbytes(to, c->elem, w->form.key_size);
	if (c->kind == CHANGE_VALUE && !w->value.n)
		name_and_value(w, to, "old", whole(w), c->old);
	if (c->kind != CHANGE_VALUE || !w->value.n) {
		name_and_value(w, to, "value", whole(w), c->elem);
		jsonw_end(to);
		return;
	}
	jsonw_name(to, "members");
	jsonw_array(to);
	for (size_t i = 0; i < w->value.n; i++)
		if (!leaf_equal(&w->value.leaf[i], value_of(w, c->old), value_of(w, c->elem), value_size(w)))
			member_json(w, to, c, &w->value.leaf[i]);
	jsonw_end(to);
	jsonw_end(to);
}
