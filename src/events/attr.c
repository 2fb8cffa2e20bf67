/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/attr.h"

#include "types/btf.h"
#include "events/bpf_cmd.h"
#include "kernel/names.h"
#include "kernel/object.h"
#include "map/map.h"
#include "own/capture/calls.bpf.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "source/machine.h"

static const struct attr_command *command_of(uint32_t cmd)
{
	return cmd < attr_ncommands ? &attr_commands[cmd] : NULL;
}

static const struct attr_member *member_next(const struct attr_command *c, const struct attr_member *m)
{
	m = m ? m + 1 : c->member;
	return m->name ? m : NULL;
}

const char *attr_command(struct machine *m, uint32_t cmd, struct arena *a)
{
	const char *word = btf_word(m, &names_bpf_cmd, cmd);

	return word ? word : arena_fmt(a, "unknown(%u)", cmd);
}

void attr_watch(struct calls_command *ret)
{
	memset(ret, 0, CALLS_COMMANDS * sizeof(*ret));
	for (uint32_t i = 0; i < attr_ncommands; i++) {
		unsigned n = 0;

		ret[i].makes = attr_commands[i].makes;
		for (const struct attr_member *m = NULL; (m = member_next(&attr_commands[i], m));) {
			const uint8_t at = (uint8_t)(m->at + 1);

			if (m->shape == ATTR_FD && n < CALLS_FDS)
				ret[i].fd[n++] = at;
			ret[i].text = m->shape == ATTR_TEXT ? at : ret[i].text;
			ret[i].key = m->shape == ATTR_KEY ? at : ret[i].key;
			ret[i].value = m->shape == ATTR_VALUE || m->shape == ATTR_ANSWER ? at : ret[i].value;
			ret[i].answers |= m->shape == ATTR_ANSWER;
			ret[i].next_key = m->shape == ATTR_NEXT_KEY ? at : ret[i].next_key;
			ret[i].map_id = m->shape == ATTR_MAP_ID ? at : ret[i].map_id;
		}
	}
}

void attr_watch_map(const struct map_decode *d, struct calls_map *ret)
{
	*ret = (struct calls_map){
		.id = d->id,
		.key_size = d->key_size,
		.value_size = d->value_size,
		.value_bytes = d->value_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)d->value_bytes,
		.holds_fds = d->holds_fds,
		.asks_values = d->asks_values,
	};
}

static uint64_t member_number(struct machine *machine, const struct calls_record *r, const struct attr_member *m)
{
	return load_uint(r->attr + m->at, attr_size(m), machine_is_big(machine));
}

static const struct name_table *names_for(enum attr_shape shape)
{
	switch (shape) {
	case ATTR_MAP_TYPE:
		return &names_map_type;
	case ATTR_PROG_TYPE:
		return &names_prog_type;
	case ATTR_ATTACH_TYPE:
		return &names_attach_type;
	default:
		return NULL;
	}
}

static const char *json_text(const char *s, size_t n, struct arena *a)
{
	struct jsonw_text t;

	jsonw_strn(jsonw_text_begin(&t), s, n);
	return jsonw_text_end(&t, a);
}

static void row_text(struct attr_row *row, const char *s, size_t n, struct arena *a)
{
	row->value = json_text(s, n, a);
	row->text = row->value;
}

static const struct calls_object *object_at(const struct calls_record *r, const struct attr_command *c,
					    const struct attr_member *m)
{
	unsigned n = 0;

	for (const struct attr_member *o = NULL; (o = member_next(c, o));) {
		if (o == m)
			return n < CALLS_FDS && r->object[n].kind && r->object[n].kind <= OBJECT_KINDS ? &r->object[n] :
													 NULL;
		n += o->shape == ATTR_FD;
	}
	return NULL;
}

static void row_word(struct machine *machine, const struct name_table *t, uint64_t v, struct attr_row *row,
		     struct arena *a)
{
	const char *word = btf_word(machine, t, v);

	word = word ? word : arena_fmt(a, "unknown(%llu)", llu(v));
	row->value = json_text(word, strlen(word), a);
	row->text = word;
}

static void row_read(struct machine *machine, const struct calls_record *r, const struct attr_command *c,
		     const struct attr_member *m, struct attr_row *row, struct arena *a)
{
	const struct calls_object *object = m->shape == ATTR_FD ? object_at(r, c, m) : NULL;
	const char *p = (const char *)r->attr + m->at;
	uint64_t v = m->shape == ATTR_NAME ? 0 : member_number(machine, r, m);

	row->name = m->name;
	if (m->shape == ATTR_NAME) {
		row_text(row, p, strnlen(p, attr_size(m)), a);
	} else if (m->shape == ATTR_TEXT && v) {
		row_text(row, r->text, strnlen(r->text, sizeof(r->text)), a);
	} else if (names_for(m->shape)) {
		row_word(machine, names_for(m->shape), v, row, a);
	} else if (m->shape >= ATTR_POINTER) {
		row->value = arena_fmt(a, "\"0x%llx\"", llu(v));
		row->text = arena_fmt(a, "0x%llx", llu(v));
	} else if (m->shape == ATTR_FLAGS) {
		row->value = arena_fmt(a, "%llu", llu(v));
		row->text = arena_fmt(a, "0x%llx", llu(v));
	} else {
		row->value = row->text =
			m->shape == ATTR_FD ? arena_fmt(a, "%d", (int)v) : arena_fmt(a, "%llu", llu(v));
	}
	if (object)
		row->text = arena_fmt(a, "%s<%s %u>", row->text, object_kind_names[object->kind - 1], object->id);
}

static bool is_zero(const unsigned char *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

static struct attr_row *row_add(struct attr_rows *rows, size_t max)
{
	return rows->n < max ? &rows->row[rows->n++] : NULL;
}

/* Bytes that belong to no known member, up to 8 in a row. */
static void rest_read(const struct calls_record *r, const unsigned char *known, struct attr_rows *ret, size_t max,
		      struct arena *a)
{
	for (uint32_t at = 0; at < r->got; at++) {
		uint32_t end = at;
		struct attr_row *row;
		char *hex;

		while (end < r->got && end - at < 8 && !known[end])
			end++;
		if (end == at)
			continue;
		row = is_zero(r->attr + at, end - at) ? NULL : row_add(ret, max);
		if (row) {
			hex = arena_alloc(a, 2 * (size_t)(end - at) + 3);
			hex[0] = '"';
			for (uint32_t i = at; i < end; i++)
				memcpy(hex + 1 + 2 * (i - at), num_hex2[r->attr[i]], 2);
			hex[1 + 2 * (end - at)] = '"';
			*row = (struct attr_row){ arena_fmt(a, "+%u", at), hex, hex };
		}
		at = end - 1;
	}
}

void attr_read(struct machine *machine, const struct calls_record *r, struct arena *a, struct attr_rows *ret)
{
	const size_t max = ATTR_MEMBERS + CALLS_ATTR / 4;
	const struct attr_command *c = command_of(r->cmd);
	unsigned char known[CALLS_ATTR] = { 0 };
	unsigned i = 0;

	*ret = (struct attr_rows){ .row = arena_array(a, max, sizeof(*ret->row)) };
	for (const struct attr_member *m = NULL; c && (m = member_next(c, m)); i++) {
		if (m->at + attr_size(m) > r->got)
			continue;
		memset(known + m->at, 1, attr_size(m));
		if (i < c->always || !is_zero(r->attr + m->at, attr_size(m)))
			row_read(machine, r, c, m, row_add(ret, max), a);
	}
	rest_read(r, known, ret, max, a);
}

void attr_objects(struct machine *machine, const struct calls_record *r, struct arena *a, struct attr_objects *ret)
{
	const struct attr_command *c = command_of(r->cmd);

	*ret = (struct attr_objects){ .row = arena_array(a, CALLS_FDS, sizeof(*ret->row)) };
	for (const struct attr_member *m = NULL; c && ret->n < CALLS_FDS && (m = member_next(c, m));) {
		const struct calls_object *o =
			m->shape == ATTR_FD && member_number(machine, r, m) ? object_at(r, c, m) : NULL;

		if (o)
			ret->row[ret->n++] = (struct attr_object){ m->name, object_kind_names[o->kind - 1], o->id };
	}
}

/* A value that was written as a descriptor is shown as the id of its object, which is that of the last descriptor. */
static const char *value_json(struct machine *machine, const struct map_decode *d, const struct calls_record *r,
			      const unsigned char *p, bool written, struct arena *a)
{
	const struct calls_object *o = &r->object[CALLS_FDS - 1];

	if (!d->holds_fds || !written)
		return map_decode_value(d, p, r->value_bytes, a);
	return o->kind ? arena_fmt(a, "{\"id\":%u}", o->id) :
			 arena_fmt(a, "{\"fd\":%d}", (int)load_uint(p, sizeof(int), machine_is_big(machine)));
}

/* Were so many bytes copied, or so many? */
static bool elem_is_known(uint32_t copied, uint64_t n, uint64_t other, uint8_t *ret_has)
{
	*ret_has = copied && (copied == n || copied == other) ? AVAIL_YES : AVAIL_UNKNOWN;
	return *ret_has == AVAIL_YES;
}

void attr_elem_read(struct machine *machine, const struct calls_record *r, const struct map_decode *d, struct arena *a,
		    struct attr_elem *ret)
{
	const struct attr_command *c = command_of(r->cmd);
	const unsigned char *key = (const unsigned char *)(r + 1), *value = key + r->key_bytes;
	const bool done = r->result >= 0, asks = d->asks_values;

	for (const struct attr_member *m = NULL; c && (m = member_next(c, m));) {
		if (m->at + attr_size(m) > r->got || is_zero(r->attr + m->at, attr_size(m)))
			continue;
		if (m->shape == ATTR_COUNT) {
			ret->count = (uint32_t)member_number(machine, r, m);
			ret->has_count = AVAIL_YES;
		} else if (m->shape == ATTR_KEY && d->key_size) {
			if (elem_is_known(r->key_bytes, d->key_size, 0, &ret->has_key))
				ret->key = map_decode_key(d, key, a);
		} else if (m->shape == ATTR_NEXT_KEY && done) {
			if (elem_is_known(r->value_bytes, d->key_size, 0, &ret->has_next_key))
				ret->next_key = map_decode_key(d, value, a);
		} else if (m->shape == ATTR_VALUE || (m->shape == ATTR_ANSWER && (done || asks))) {
			if (elem_is_known(r->value_bytes, d->value_bytes, d->value_size, &ret->has_value))
				ret->value = value_json(machine, d, r, value, m->shape == ATTR_VALUE, a);
		}
	}
}

const char *attr_type(struct machine *machine, const struct calls_record *r)
{
	const struct attr_command *c = command_of(r->cmd);

	for (const struct attr_member *m = NULL; c && (m = member_next(c, m));)
		if (names_for(m->shape) && m->at + attr_size(m) <= r->got)
			return btf_word(machine, names_for(m->shape), member_number(machine, r, m));
	return NULL;
}

const char *attr_name(const struct calls_record *r, struct arena *a)
{
	const struct attr_command *c = command_of(r->cmd);

	for (const struct attr_member *m = NULL; c && (m = member_next(c, m));)
		if (m->shape == ATTR_NAME && m->at + attr_size(m) <= r->got && r->attr[m->at])
			return arena_str(a, (const char *)r->attr + m->at,
					 strnlen((const char *)r->attr + m->at, attr_size(m)));
	return NULL;
}

static size_t attr_text(const void *row, char *buf, size_t size)
{
	const struct attr_row *r = row;

	return str_snprintf(buf, size, "%s=%s", r->name, r->text);
}

static const struct field attr_fields[] = {
	FIELD(attr_row, name, "member", "name of a member; +N: bytes from offset N that belong to no known member",
	      .role = ROLE_NAME),
	FIELD_AS(attr_row, value, FT_JSON, "value", "value of the member"),
};
const struct schema schema_attr = SCHEMA("attribute", attr_row, attr_fields, .text = attr_text);

static const struct field object_fields[] = {
	FIELD(attr_object, member, "member", "member that holds the descriptor", .role = ROLE_NAME),
	FIELD(attr_object, kind, "kind", "kind (of the object)", .role = ROLE_KIND),
	FIELD(attr_object, id, "id", "id of the object"),
};
const struct schema schema_attr_object = SCHEMA("attribute_object", attr_object, object_fields);
