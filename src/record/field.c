/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/field.h"

#include <math.h>

#include "record/value.h"

static const void *member_at(const void *rec, size_t off)
{
	return (const char *)rec + off;
}

static uint64_t read_uint(const void *p, size_t size)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1:
		memcpy(&u8, p, 1);
		return u8;
	case 2:
		memcpy(&u16, p, 2);
		return u16;
	case 4:
		memcpy(&u32, p, 4);
		return u32;
	case 8:
		memcpy(&u64, p, 8);
		return u64;
	default:
		return 0;
	}
}

static int64_t read_int(const void *p, size_t size)
{
	uint64_t v = read_uint(p, size);
	unsigned shift = size && size < 8 ? 64 - 8 * (unsigned)size : 0;

	return (int64_t)(v << shift) >> shift;
}

static inline void read_scalar(struct value *v, enum field_type type, uint32_t flags, const void *p, size_t size)
{
	switch (type) {
	case FT_BOOL:
		v->b = read_uint(p, size) != 0;
		break;
	case FT_UINT:
	case FT_ENUM:
	case FT_TIME:
		v->u = read_uint(p, size);
		break;
	case FT_INT:
		v->i = read_int(p, size);
		break;
	case FT_REAL:
		memcpy(&v->d, p, sizeof(v->d));
		if (!isfinite(v->d))
			v->avail = AVAIL_UNKNOWN;
		break;
	case FT_STR:
		if (flags & FIELD_INLINE) {
			/* The string must end within the record; otherwise its value is unknown. */
			if (memchr(p, '\0', size))
				v->s = p;
			else
				v->avail = AVAIL_UNKNOWN;
			break;
		}
		/* fall through */
	case FT_JSON:
		memcpy(&v->s, p, sizeof(v->s));
		if (!v->s)
			v->avail = AVAIL_NO;
		break;
	case FT_BYTES:
		v->list.p = p;
		v->list.n = (uint32_t)size;
		v->list.stride = 1;
		break;
	case FT_LIST:
	case FT_ROWS:
		v->avail = AVAIL_NO;
		break;
	}
}

struct value value_scalar(enum field_type type, uint32_t flags, const void *p, size_t size)
{
	struct value v = { .avail = AVAIL_YES, .type = type };

	read_scalar(&v, type, flags, p, size);
	return v;
}

static inline void read_list(struct value *v, const struct field *f, const void *rec)
{
	memcpy(&v->list.p, member_at(rec, f->off), sizeof(v->list.p));
	v->list.n = v->list.p ? (uint32_t)read_uint(member_at(rec, f->count), 4) : 0;
	v->list.stride = f->type == FT_ROWS ? (uint32_t)f->rows->rec_size : f->elem_size;
	if ((f->flags & FIELD_SINGLE) && !v->list.n)
		v->avail = AVAIL_NO;
}

static enum avail field_avail(const struct schema *s, const struct field *f, const void *rec)
{
	uint64_t when = f->when ? read_uint(member_at(rec, f->when), 1) : AVAIL_YES;

	if (when == AVAIL_NO)
		return AVAIL_NO;
	if (when != AVAIL_YES)
		return when == AVAIL_UNSEEN ? AVAIL_UNSEEN : AVAIL_UNKNOWN;
	/* The kernel is older than the fact. That is not a failure to read it: a list on an old kernel is complete. */
	if (s->info_size && f->off >= s->info_off && f->off < s->info_off + s->info_size &&
	    (uint32_t)(f->off - s->info_off + f->size) > read_uint(member_at(rec, s->info_len), 4))
		return AVAIL_NO;
	return AVAIL_YES;
}

void field_read(const struct schema *s, const struct field *f, const void *rec, struct value *ret)
{
	ret->avail = field_avail(s, f, rec);
	ret->unseen = ret->avail == AVAIL_UNSEEN;
	if (ret->unseen)
		ret->avail = AVAIL_UNKNOWN;
	ret->type = f->type;
	if (ret->avail != AVAIL_YES)
		return;
	if (f->type == FT_LIST || f->type == FT_ROWS)
		read_list(ret, f, rec);
	else
		read_scalar(ret, f->type, f->flags, member_at(rec, f->off), f->size);
	if ((f->flags & FIELD_NONZERO) && ret->avail == AVAIL_YES && value_is_zero(ret))
		ret->avail = AVAIL_NO;
}

struct value field_get(const struct schema *s, const struct field *f, const void *rec)
{
	struct value v = { 0 };

	field_read(s, f, rec, &v);
	return v;
}

const char *names_word(const struct names *n, uint64_t value)
{
	return n && value < n->n ? n->word[value] : NULL;
}

const struct field *schema_next(struct schema_iter *it)
{
	if (it->i < it->s->n)
		return &it->s->fields[it->i++];
	if (it->s != it->base || !it->rec || !it->base->more)
		return NULL;
	it->s = it->base->more(it->rec);
	it->i = 0;
	if (!it->s || it->s == it->base) {
		/* Stay at the end of the fixed part, without a second part, for all further calls. */
		it->s = it->base;
		it->i = it->base->n;
		it->rec = NULL;
		return NULL;
	}
	return it->s->n ? &it->s->fields[it->i++] : NULL;
}

/* Parts describe members of the same record: the length of the kernel's answer limits them too. */
static const struct schema *schema_of(const struct schema *part, const struct schema *base)
{
	return part->info_size ? part : base;
}

struct value schema_value(const struct schema_iter *it, const struct field *f)
{
	return field_get(schema_of(it->s, it->base), f, it->rec);
}

void schema_read(const struct schema_iter *it, const struct field *f, struct value *ret)
{
	field_read(schema_of(it->s, it->base), f, it->rec, ret);
}

const char *field_called(const struct field *f, const char *typed, int (*cmp)(const char *a, const char *b))
{
	for (unsigned i = 0; i < KEYS; i++)
		if (field_key(f, i) && !cmp(field_key(f, i), typed))
			return field_key(f, i);
	return NULL;
}

const struct field *schema_find(const struct schema *s, const void *rec, const char *name, const struct schema **ret_s)
{
	struct schema_iter it = SCHEMA_ITER(s, rec);
	const struct field *f, *other = NULL;

	while ((f = schema_next(&it))) {
		const char *key = field_called(f, name, strcmp);

		if (!key || (key != f->name && other))
			continue;
		if (ret_s)
			*ret_s = schema_of(it.s, s);
		if (key == f->name)
			return f;
		other = f;
	}
	return other;
}

unsigned schema_need(const struct schema *s, uint32_t without)
{
	unsigned need = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!(s->fields[i].flags & without))
			need |= s->fields[i].need;
	return need;
}

struct schema *schema_append(struct arena *a, const struct schema *s, const struct schema *more, size_t front)
{
	const size_t at = (s->rec_size + 7) / 8 * 8;
	struct field *all = arena_array(a, s->n + more->n, sizeof(*all)), *f;
	struct schema *ret = arena_dup(a, s, sizeof(*s));

	memcpy(all + front, s->fields, s->n * sizeof(*all));
	for (size_t i = 0; i < more->n; i++) {
		f = &all[i < front ? i : s->n + i];
		*f = more->fields[i];
		f->off = (uint16_t)(f->off + at);
		f->when = f->when ? (uint16_t)(f->when + at) : 0;
		f->count = f->count ? (uint16_t)(f->count + at) : 0;
	}
	ret->fields = all;
	ret->n += more->n;
	ret->rec_size = at + more->rec_size;
	return ret;
}
