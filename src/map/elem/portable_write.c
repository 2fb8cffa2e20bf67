/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/portable.h"

#include "base/json/jsonr.h"
#include "map/map.h"
#include "render/jsonw.h"

#define NAME(w, text) jsonw_name_raw((w), "\"" text "\"", sizeof(text) + 1)

static void member_str(struct jsonw *w, const char *name, const char *text)
{
	if (!text)
		return;
	jsonw_name(w, name);
	jsonw_str(w, text);
}

static void member_num(struct jsonw *w, const char *name, uint32_t v)
{
	jsonw_name(w, name);
	jsonw_uint(w, v);
}

void portable_write_map(struct jsonw *w, const struct map_rec *rec)
{
	jsonw_object(w);
	NAME(w, "map");
	jsonw_object(w);
	member_str(w, "type", rec->type);
	member_str(w, "name", rec->name);
	member_num(w, "bytes_key", rec->info.key_size);
	member_num(w, "bytes_value", rec->info.value_size);
	member_num(w, "max_entries", rec->info.max_entries);
	member_str(w, "key_type", rec->key_type);
	member_str(w, "value_type", rec->value_type);
	jsonw_end(w);
	jsonw_end(w);
}

/* Does the text of these bytes read back as the same bytes, except for padding? */
static bool reads_back(const struct value_plan *plan, const struct padding *pad, const unsigned char *bytes, size_t n,
		       struct out *scratch)
{
	CLEAN_PTR unsigned char *back = malloc(n + 1);
	struct jsonr r;
	struct jsonw w;

	if (!back)
		return false;
	scratch->n = 0;
	jsonw_init(&w, scratch, false);
	value_print(plan, &w, bytes, n);
	jsonr_init(&r, "", 0, scratch->buf, scratch->n);
	if (!portable_bytes(&r, back, n) && value_read(plan, &r, back, n, NULL))
		return false;
	for (uint32_t i = 0; i < pad->n; i++)
		back[pad->at[i]] = bytes[pad->at[i]];
	return !memcmp(back, bytes, n);
}

static void padding_list(struct jsonw *w, const struct padding *pad, const unsigned char *bytes)
{
	CLEAN_PTR unsigned char *list = malloc(pad->n + 1);

	if (!list)
		arena_die(pad->n);
	padding_get(pad, bytes, list);
	jsonw_hexbytes(w, list, pad->n);
}

static void padding_write(struct jsonw *w, const char *name, const struct padding *pad, const unsigned char *bytes)
{
	jsonw_name(w, name);
	padding_list(w, pad, bytes);
}

/*
 * Writes by type if the text reads back as the same bytes. True: the padding, which is not zero, must be written too.
 */
static bool data_write(const struct portable_form *f, struct jsonw *w, const struct value_plan *plan, bool exact,
		       const struct padding *pad, const unsigned char *bytes, size_t n, struct out *scratch)
{
	if (!plan || f->hex || !(exact || reads_back(plan, pad, bytes, n, scratch)))
		return jsonw_hexbytes(w, bytes, n), false;
	value_print(plan, w, bytes, n);
	return padding_dirty(pad, bytes);
}

static void object_write(const struct elem_form *f, struct jsonw *w, const unsigned char *value)
{
	jsonw_object(w);
	NAME(w, "id");
	jsonw_uint(w, elem_u32(f, value));
	jsonw_end(w);
}

/* A value for each CPU, and all paddings if one is not zero. */
static void values_write(const struct portable_form *f, struct jsonw *w, const unsigned char *values,
			 struct out *scratch)
{
	const struct elem_form *m = f->map;
	size_t step = elem_value_step(m);
	bool dirty = false;

	NAME(w, "values");
	jsonw_array(w);
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		dirty |= data_write(f, w, f->value, f->value_exact, &f->value_padding, values + cpu * step,
				    m->value_size, scratch);
	jsonw_end(w);
	if (!dirty)
		return;
	NAME(w, "values_padding");
	jsonw_array(w);
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		padding_list(w, &f->value_padding, values + cpu * step);
	jsonw_end(w);
}

void portable_write(const struct portable_form *f, struct jsonw *w, const unsigned char *elem, struct out *scratch)
{
	const struct elem_form *m = f->map;
	const unsigned char *value = elem + m->key_size;

	jsonw_object(w);
	if (m->key_size) {
		NAME(w, "key");
		if (data_write(f, w, f->key, f->key_exact, &f->key_padding, elem, m->key_size, scratch))
			padding_write(w, "key_padding", &f->key_padding, elem);
	}
	if (m->cpus) {
		values_write(f, w, value, scratch);
	} else {
		NAME(w, "value");
		if (portable_object(m))
			object_write(m, w, value);
		else if (data_write(f, w, f->value, f->value_exact, &f->value_padding, value, m->value_size, scratch))
			padding_write(w, "value_padding", &f->value_padding, value);
	}
	jsonw_end(w);
}
