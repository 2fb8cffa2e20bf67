/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/portable.h"

#include "base/json/jsonr.h"
#include "cli/kind.h"

/* State of reading an element. */
struct reading {
	const struct portable_form *f;
	struct jsonr r;
	struct arena *arena;
	unsigned char *elem;
	struct portable *ret;
	bool has_value;
	const unsigned char *key_padding, *value_padding, *values_padding; /* lists of bytes; NULL: zero */
	struct err *e;
};

/* A key or a value: its name, type and bytes. */
struct data {
	const char *what;
	const struct value_plan *plan;
	unsigned char *bytes;
	uint32_t size;
};

static bool name_is(const struct jsonr *r, const char *name)
{
	return !r->escaped && r->len == strlen(name) && !memcmp(r->text, name, r->len);
}

static int portable_number_parse(const struct jsonr *r, uint64_t *ret)
{
	char digits[24];

	if (r->len >= sizeof(digits))
		return -ERANGE;
	memcpy(digits, r->text, r->len);
	digits[r->len] = '\0';
	return num_parse_u64(digits, ret);
}

/* Without a type: bytes, or an integer of that size. */
static int untyped_read(struct reading *rd, const struct data *d)
{
	bool whole = d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8;
	enum jsonr_token t = jsonr_next(&rd->r);
	uint64_t v;

	if (t == JSONR_BAD)
		return jsonr_error(&rd->r, rd->e);
	if (t != JSONR_NUM || !whole) {
		err_set(rd->e, -EINVAL, "%s: without a type it is a list of %u byte%s like \"0x1f\"%s", d->what,
			d->size, plural(d->size), whole ? ", or a number" : "");
		return err_hint(rd->e, "`map export --hex` writes bytes, which every map accepts");
	}
	if (portable_number_parse(&rd->r, &v) || (d->size < 8 && v >> 8 * d->size))
		return err_set(rd->e, -EINVAL, "%s: %.*s does not fit in %u bits", d->what,
			       (int)(rd->r.len < 40 ? rd->r.len : 40), rd->r.text, d->size * 8);
	store_uint(d->bytes, d->size, v, rd->f->map->big);
	return 0;
}

static int data_read(struct reading *rd, const struct data *d)
{
	if (portable_bytes(&rd->r, d->bytes, d->size))
		return 0;
	rd->r.what = d->what;
	return d->plan ? value_read(d->plan, &rd->r, d->bytes, d->size, rd->e) : untyped_read(rd, d);
}

/* {"cpu":1,"value":..}, as in dumps: reads up to the value. */
static bool cpu_enter(struct jsonr *r, uint32_t cpu)
{
	uint64_t v;

	return jsonr_next(r) == JSONR_OBJECT && jsonr_next(r) == JSONR_NAME && name_is(r, "cpu") &&
	       jsonr_next(r) == JSONR_NUM && !portable_number_parse(r, &v) && v == cpu && jsonr_next(r) == JSONR_NAME &&
	       name_is(r, "value");
}

static int cpu_read(struct reading *rd, const struct data *d, uint32_t i)
{
	const uint32_t cpu = elem_cpu(rd->f->map, i);
	struct err first = { 0 }, *e = rd->e;
	struct jsonr before = rd->r;
	int err;

	/* A value may itself be a structure with these members. */
	rd->e = &first;
	err = data_read(rd, d);
	rd->e = e;
	if (!err)
		return 0;
	rd->r = before;
	if (!cpu_enter(&rd->r, cpu)) {
		if (e && !e->code)
			*e = first;
		return err_in(e, "CPU %u", cpu), err;
	}
	err = data_read(rd, d);
	if (err)
		return err_in(e, "CPU %u", cpu), err;
	return jsonr_next(&rd->r) == JSONR_CLOSE ? 0 :
						   err_set(e, -EINVAL, "CPU %u: unexpected text after the value", cpu);
}

static struct data cpu_value(const struct reading *rd, uint32_t cpu)
{
	const struct elem_form *m = rd->f->map;
	uint32_t step = (m->value_size + 7) & ~7u;

	return (struct data){ "value", m->value, rd->elem + m->key_size + (size_t)cpu * step, m->value_size };
}

static int values_read(struct reading *rd)
{
	uint32_t cpus = rd->f->map->cpus, cpu;
	struct data d;
	int err;

	if (!cpus)
		return err_set(rd->e, -EINVAL, "values: the map has a single value for all CPUs");
	if (jsonr_next(&rd->r) != JSONR_ARRAY)
		return err_set(rd->e, -EINVAL, "values: expected a list of %u elements, one for each possible CPU",
			       cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		if (jsonr_peek(&rd->r) == JSONR_CLOSE)
			return err_set(rd->e, -EINVAL,
				       "values: the list has %u elements, and there are %u possible CPUs", cpu, cpus);
		d = cpu_value(rd, cpu);
		err = cpu_read(rd, &d, cpu);
		if (err)
			return err;
	}
	if (jsonr_next(&rd->r) != JSONR_CLOSE)
		return err_set(rd->e, -EINVAL, "values: the list has more than %u elements, one for each possible CPU",
			       cpus);
	return 0;
}

/* {"id":7}, {"name":"x"}, {"pinned":"/path"}, {"tag":".."}: after the brace. */
static int object_members(struct reading *rd, const struct kind *k)
{
	static const struct {
		const char *name;
		enum selector by;
	} ways[] = {
		{ "id", SEL_ID },
		{ "name", SEL_NAME },
		{ "pinned", SEL_PINNED },
		{ "tag", SEL_TAG },
	};
	struct object_ref *ref = &rd->ret->object;
	enum jsonr_token t = jsonr_next(&rd->r);
	enum selector by = 0;
	uint64_t id;
	char *text;
	size_t n;

	for (size_t i = 0; t == JSONR_NAME && i < ARRAY_SIZE(ways); i++)
		if (name_is(&rd->r, ways[i].name) && k->selectors & ways[i].by)
			by = ways[i].by;
	t = by ? jsonr_next(&rd->r) : JSONR_BAD;
	if (by == SEL_ID && t == JSONR_NUM && !portable_number_parse(&rd->r, &id) && id <= UINT32_MAX) {
		*ref = (struct object_ref){ .by = by, .id = (uint32_t)id };
	} else if (by && by != SEL_ID && t == JSONR_STR) {
		n = jsonr_text(&rd->r, NULL, 0);
		text = arena_alloc(rd->arena, n + 1);
		jsonr_text(&rd->r, text, n);
		*ref = (struct object_ref){ .by = by, .text = text };
	} else {
		t = JSONR_BAD;
	}
	if (t != JSONR_BAD && jsonr_next(&rd->r) == JSONR_CLOSE)
		return 0;
	return err_set(rd->e, -EINVAL, "value: expected a %s, like {\"id\":7} or {\"pinned\":\"PATH\"}", k->noun);
}

static int portable_object_read(struct reading *rd, const struct kind *k)
{
	unsigned char bytes[sizeof(uint32_t)];
	uint64_t id;

	if (portable_bytes(&rd->r, bytes, sizeof(bytes))) {
		rd->ret->object = (struct object_ref){ .by = SEL_ID, .id = elem_u32(rd->f->map, bytes) };
		return 0;
	}
	switch (jsonr_next(&rd->r)) {
	case JSONR_NUM:
		if (portable_number_parse(&rd->r, &id) || id > UINT32_MAX)
			return err_set(rd->e, -EINVAL, "value: %.*s is not an id",
				       (int)(rd->r.len < 40 ? rd->r.len : 40), rd->r.text);
		rd->ret->object = (struct object_ref){ .by = SEL_ID, .id = (uint32_t)id };
		return 0;
	case JSONR_OBJECT:
		return object_members(rd, k);
	default:
		return err_set(rd->e, -EINVAL, "value: expected a %s, like {\"id\":7} or {\"pinned\":\"PATH\"}",
			       k->noun);
	}
}

static int value_member(struct reading *rd)
{
	const struct kind *k = portable_object(rd->f->map);
	struct data d = cpu_value(rd, 0);
	uint32_t cpu;
	int err;

	if (k)
		return portable_object_read(rd, k);
	err = data_read(rd, &d);
	/* One value for all CPUs. */
	for (cpu = 1; !err && cpu < rd->f->map->cpus; cpu++)
		memcpy(cpu_value(rd, cpu).bytes, d.bytes, d.size);
	return err;
}

static int key_member(struct reading *rd)
{
	const struct elem_form *m = rd->f->map;
	struct data d = { "key", m->key, rd->elem, m->key_size };
	int err;

	if (!m->key_size) {
		/* Dumps write []. */
		if (jsonr_next(&rd->r) == JSONR_ARRAY && jsonr_next(&rd->r) == JSONR_CLOSE)
			return 0;
		return err_set(rd->e, -EINVAL, "key: the map has no keys");
	}
	err = data_read(rd, &d);
	rd->ret->has_key = !err;
	return err;
}

/* {"map":{..}}: only the sizes matter. */
static int map_member(struct reading *rd)
{
	const struct elem_form *m = rd->f->map;
	enum jsonr_token t = jsonr_next(&rd->r);
	uint64_t key = m->key_size, value = m->value_size, *size;

	rd->ret->is_map = true;
	if (t != JSONR_OBJECT)
		return err_set(rd->e, -EINVAL, "map: expected an object");
	while ((t = jsonr_next(&rd->r)) == JSONR_NAME) {
		size = name_is(&rd->r, "bytes_key") ? &key : name_is(&rd->r, "bytes_value") ? &value : NULL;
		t = jsonr_next(&rd->r);
		if (size && (t != JSONR_NUM || portable_number_parse(&rd->r, size)))
			return err_set(rd->e, -EINVAL, "map: its sizes must be numbers");
		if (jsonr_skip(&rd->r, t) == JSONR_BAD)
			break;
	}
	if (t != JSONR_CLOSE)
		return jsonr_error(&rd->r, rd->e);
	if (key == m->key_size && value == m->value_size)
		return 0;
	return err_set(rd->e, -EBADMSG,
		       "the elements have keys of %llu bytes and values of %llu; those of the map have %u and %u",
		       llu(key), llu(value), m->key_size, m->value_size);
}

/* Applied at the end, because the value itself may come later. */
static int padding_member(struct reading *rd, const struct padding *pad, const char *what, const unsigned char **ret)
{
	unsigned char *list = arena_alloc(rd->arena, pad->n + 1);

	if (!portable_bytes(&rd->r, list, pad->n))
		return err_set(rd->e, -EINVAL, "%s_padding: expected a list of %u bytes, like [\"0x00\"]", what,
			       pad->n);
	*ret = list;
	return 0;
}

static int values_padding_member(struct reading *rd)
{
	const struct padding *pad = &rd->f->value_padding;
	uint32_t cpus = rd->f->map->cpus;
	unsigned char *lists = arena_alloc(rd->arena, (size_t)cpus * pad->n + 1);

	if (jsonr_next(&rd->r) != JSONR_ARRAY)
		cpus = 0;
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		if (!portable_bytes(&rd->r, lists + (size_t)cpu * pad->n, pad->n))
			cpus = 0;
	if (!cpus || jsonr_next(&rd->r) != JSONR_CLOSE)
		return err_set(
			rd->e, -EINVAL,
			"values_padding: expected a list for each of %u possible CPUs, of %u bytes like \"0x00\"",
			rd->f->map->cpus, pad->n);
	rd->values_padding = lists;
	return 0;
}

static int field_read_next(struct reading *rd)
{
	enum jsonr_token t;
	bool key = name_is(&rd->r, "key"), list = name_is(&rd->r, "values");

	if (key) {
		if (rd->ret->has_key)
			return err_set(rd->e, -EINVAL, "the key is given twice");
		return key_member(rd);
	}
	if (list || name_is(&rd->r, "value")) {
		if (rd->has_value)
			return err_set(rd->e, -EINVAL, "the value is given twice");
		rd->has_value = true;
		return list ? values_read(rd) : value_member(rd);
	}
	if (name_is(&rd->r, "map"))
		return map_member(rd);
	if (name_is(&rd->r, "key_padding"))
		return padding_member(rd, &rd->f->key_padding, "key", &rd->key_padding);
	if (name_is(&rd->r, "value_padding"))
		return padding_member(rd, &rd->f->value_padding, "value", &rd->value_padding);
	if (name_is(&rd->r, "values_padding"))
		return values_padding_member(rd);
	if (!name_is(&rd->r, "formatted") && !name_is(&rd->r, "inner_map_id")) {
		err_set(rd->e, -EINVAL, "unexpected member '%.*s' of an element",
			(int)(rd->r.len < 40 ? rd->r.len : 40), rd->r.text);
		return err_hint(rd->e, "its members are key and value, or values");
	}
	t = jsonr_next(&rd->r);
	return jsonr_skip(&rd->r, t) == JSONR_BAD ? jsonr_error(&rd->r, rd->e) : 0;
}

/* If the bytes are complete, the rest of the element is not parsed: bpftool's "formatted" is not always valid JSON. */
static bool enough(const struct reading *rd)
{
	return name_is(&rd->r, "formatted") && rd->has_value && (rd->ret->has_key || !rd->f->map->key_size);
}

static int value_read_whole(const struct reading *rd)
{
	const struct elem_form *m = rd->f->map;

	if (rd->ret->is_map)
		return 0;
	if (!rd->has_value && m->value_size)
		return err_set(rd->e, -EINVAL, "the value is missing");
	if (m->key_size && !rd->ret->has_key && (m->key || rd->f->entries != 1))
		return err_set(rd->e, -EINVAL, "the key is missing");
	if (rd->key_padding)
		padding_set(&rd->f->key_padding, rd->elem, rd->key_padding);
	for (uint32_t cpu = 0; rd->value_padding && cpu < (m->cpus ? m->cpus : 1); cpu++)
		padding_set(&rd->f->value_padding, cpu_value(rd, cpu).bytes, rd->value_padding);
	for (uint32_t cpu = 0; rd->values_padding && cpu < m->cpus; cpu++)
		padding_set(&rd->f->value_padding, cpu_value(rd, cpu).bytes,
			    rd->values_padding + (size_t)cpu * rd->f->value_padding.n);
	return 0;
}

int portable_read(const struct portable_form *f, const char *text, size_t n, struct arena *a, unsigned char *elem,
		  struct portable *ret, struct err *e)
{
	struct reading rd = { .f = f, .arena = a, .elem = elem, .ret = ret, .e = e };
	enum jsonr_token t;
	int err;

	*ret = (struct portable){ 0 };
	memset(elem, 0, f->map->key_size + (size_t)elem_value_bytes(f->map));
	jsonr_init(&rd.r, "element", JSONR_HEX, text, n);
	t = jsonr_next(&rd.r);
	if (t != JSONR_OBJECT)
		return t == JSONR_BAD ? jsonr_error(&rd.r, e) :
					err_set(e, -EINVAL, "an element must be an object with key and value");
	while ((t = jsonr_next(&rd.r)) == JSONR_NAME) {
		if (enough(&rd))
			return 0;
		err = field_read_next(&rd);
		if (err)
			return err;
		rd.r.what = "element";
	}
	if (t == JSONR_BAD || jsonr_next(&rd.r) != JSONR_END)
		return jsonr_error(&rd.r, e);
	return value_read_whole(&rd);
}
