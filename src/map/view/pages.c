/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/pages.h"

#include "types/value/value.h"
#include "cli/env.h"
#include "map/elem/near.h"
#include "map/elem/walk.h"
#include "map/map.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/render.h"
#include "source/pages.h"
#include "source/source.h"
#include "kernel/abi.h"

enum { ROW = 16 };
#define VALUE_MAX (16u << 20)

static int mmap_error(uint32_t id, int err, struct err *e)
{
	switch (err) {
	case -ENODATA:
		return map_unsaved_error(id, e);
	case -EBADMSG:
		return err_set(e, err, "map %u: damaged data of the arena", id);
	default:
		err_sys(e, err, "map %u: cannot read the arena", id);
		source_hint(e);
		return err == -EPERM ?
			       err :
			       err_hint(e, "the kernel must have BTF and support BPF programs that read its memory");
	}
}

static uint64_t offset_of(const struct pages_head *h, uint32_t number)
{
	return (uint64_t)number * h->page_size;
}

static void rows_print(struct out *o, const unsigned char *p, uint32_t n, uint64_t offset)
{
	bool folded = false;

	for (uint32_t i = 0; i < n; i += ROW) {
		if (i && !memcmp(p + i, p + i - ROW, ROW)) {
			if (!folded)
				out_str(o, "*\n");
			folded = true;
			continue;
		}
		folded = false;
		out_fmt(o, "%08llx  ", llu(offset + i));
		out_hex(o, p + i, ROW);
		out_str(o, "  |");
		for (unsigned k = 0; k < ROW; k++)
			out_char(o, p[i + k] >= 0x20 && p[i + k] < 0x7f ? (char)p[i + k] : '.');
		out_str(o, "|\n");
	}
}

struct page_rec {
	uint64_t offset, address;
	const unsigned char *data;
	uint32_t number, size;
};
#define PAGE_FIELD(m, nm, help, text, n, ...) FIELD(page_rec, m, nm, help, .plain = text, .col = n, ##__VA_ARGS__)
#define PAGE_FIELD_DATA \
	FIELD_LIST(page_rec, data, size, FT_UINT, "data", "its bytes", .unit = FU_BYTE, .flags = FIELD_NOPLAIN)
static const struct field page_fields[] = {
	PAGE_FIELD(number, "page", "number of the page in the arena", "page %", 0),
	PAGE_FIELD(offset, "offset", "offset in the arena in bytes", "  offset %", 1, .unit = FU_HEX),
	PAGE_FIELD(address, "address", "address in programs and processes", "  address %", 2, .unit = FU_HEX),
	PAGE_FIELD_DATA,
};
static const struct schema schema_page = SCHEMA("arena_page", page_rec, page_fields);

/* Fields of a value in an arena that only JSON has. */
static const struct field place_fields[] = {
	PAGE_FIELD(offset, "offset", "offset in the arena in bytes", NULL, 0, .unit = FU_HEX, .flags = FIELD_NOPLAIN),
	PAGE_FIELD(address, "address", "address in programs and processes", NULL, 0, .unit = FU_HEX,
		   .flags = FIELD_NOPLAIN),
	PAGE_FIELD_DATA,
};
static const struct schema schema_place = SCHEMA("place_in_arena", page_rec, place_fields);

static void page_json(struct jsonw *w, const struct page_rec *rec)
{
	jsonw_object(w);
	render_json_fields(w, &schema_page, rec, 0, NULL);
	jsonw_end(w);
}

static void page_print(struct env *env, const struct pages *p, uint32_t i, struct jsonw *w, bool lines)
{
	struct out *o = env->report->out;
	const uint64_t offset = offset_of(&p->head, pages_number(p, i));
	const struct page_rec rec = {
		.number = pages_number(p, i),
		.offset = offset,
		.address = p->head.user + offset,
		.data = pages_bytes(p, i),
		.size = p->head.page_size,
	};
	struct jsonw line;

	if (lines) {
		jsonw_init(&line, o, false);
		page_json(&line, &rec);
		out_char(o, '\n');
	} else if (w) {
		page_json(w, &rec);
	} else {
		render_plain_headline(o, &schema_page, &rec);
		out_char(o, '\n');
		rows_print(o, rec.data, rec.size, offset);
	}
}

int pages_dump(struct env *env, const struct abi_map_info *info, struct jsonw *w, bool lines, struct err *e)
{
	uint32_t found = 0;
	struct pages p = { 0 };

	do {
		ARENA_SCOPE(env->arena);
		int err = pages_get(env->machine, env->arena, info->id, p.head.next, &p);

		if (err)
			return mmap_error(info->id, err, e);
		for (uint32_t i = 0; i < p.head.count && !out_dead(env->report->out); i++)
			page_print(env, &p, i, w, lines);
		found += p.head.count;
	} while (p.head.next && !out_dead(env->report->out));
	if (!w && !lines)
		out_fmt(env->report->out, "Found %u page%s of %u\n", found, plural(found), info->max_entries);
	return 0;
}

/* "0x100000000040" or 64; a number that could be both is an address. */
static int place_parse(const char *at, const struct abi_map_info *info, const struct pages_head *h, uint64_t *ret,
		       struct err *e)
{
	const uint64_t room = (uint64_t)h->pages * h->page_size;
	uint64_t v = 0;
	int err = at ? num_parse_u64(at, &v) : 0;

	if (err) {
		err_usage(e, "'%s' is neither an address nor an offset", at);
		return err_hint(
			e, "a number, in decimal or as 0x...: an offset in the arena, or an address of user space");
	}
	if (at && h->user && v >= h->user && v - h->user < room)
		v -= h->user;
	if (v >= room)
		return err_set(e, -ENOENT, "map %u: %s is not in the arena: 0x%llx bytes from 0x%llx", info->id,
			       at ? at : "0", llu(room), llu(h->user));
	*ret = v;
	return 0;
}

/* Copies the bytes of @ret that are in this answer; returns their number. */
static uint64_t bytes_take(const struct pages *p, uint64_t offset, unsigned char *ret, uint64_t n)
{
	const uint64_t size = p->head.page_size;
	uint64_t taken = 0;

	for (uint32_t i = 0; i < p->head.count; i++) {
		const uint64_t page = offset_of(&p->head, pages_number(p, i));
		const uint64_t from = offset > page ? offset : page,
			       end = offset + n < page + size ? offset + n : page + size;

		if (from >= end)
			continue;
		memcpy(ret + (from - offset), pages_bytes(p, i) + (from - page), end - from);
		taken += end - from;
	}
	return taken;
}

/* The running kernel is asked from the first wanted page on; an archive has the answers of a whole dump. */
static int value_read_at(struct env *env, uint32_t id, const struct pages_head *h, uint64_t offset, unsigned char *ret,
			 uint64_t n, struct err *e)
{
	struct pages p = { .head = { .next = machine_is_saved(env->machine) ? 0 : (uint32_t)(offset / h->page_size) } };
	uint64_t taken = 0;

	do {
		ARENA_SCOPE(env->arena);
		int err = pages_get(env->machine, env->arena, id, p.head.next, &p);

		if (err)
			return mmap_error(id, err, e);
		taken += bytes_take(&p, offset, ret, n);
	} while (taken < n && p.head.next && offset_of(&p.head, p.head.next) < offset + n);
	if (taken == n)
		return 0;
	return err_set(e, -ENOENT, "map %u: no page at offset 0x%llx%s", id, llu(offset),
		       taken ? " for all of the value" : "");
}

static void value_show(struct env *env, const struct pages_head *h, uint64_t offset, const unsigned char *p, uint64_t n,
		       const struct value_plan *plan)
{
	const struct page_rec rec = { .offset = offset, .address = h->user + offset, .data = p, .size = (uint32_t)n };
	struct doc d;

	env_doc(env, &d);
	doc_object(&d, NULL);
	doc_fields(&d, &schema_place, &rec);
	value_print(plan, doc_value(&d, "formatted"), p, n);
	doc_text(&d, "\n");
	doc_end(&d);
}

int pages_value(struct env *env, const struct abi_map_info *info, const struct pages_opts *o,
		const struct types_ref *from, struct err *e)
{
	const struct value_plan *plan = NULL;
	uint64_t size = 0, offset = 0;
	unsigned char *bytes;
	struct pages p;
	int err;

	if (!o->type && o->at)
		return err_usage(e, "name the type of %s with 'type'", o->at);
	err = map_type_plan(env, info->id, info->btf_id, o->type, from, &plan, &size, e);
	if (err)
		return err;
	err = pages_get(env->machine, env->arena, info->id, 0, &p);
	if (err)
		return mmap_error(info->id, err, e);
	err = place_parse(o->at, info, &p.head, &offset, e);
	if (err)
		return err;
	if (size > VALUE_MAX || size > (uint64_t)p.head.pages * p.head.page_size - offset)
		return err_set(e, -ENOENT, "map %u: %llu byte%s of '%s' do not fit at offset 0x%llx", info->id,
			       llu(size), plural(size), o->type, llu(offset));
	bytes = arena_room(env->keep, size);
	err = value_read_at(env, info->id, &p.head, offset, bytes, size, e);
	if (!err)
		value_show(env, &p.head, offset, bytes, size, plan);
	return err;
}
