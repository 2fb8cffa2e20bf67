/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/pages.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "btf/value/value.h"
#include "cli/env.h"
#include "map/elem/near.h"
#include "map/elem/walk.h"
#include "render/jsonw.h"
#include "source/pages.h"
#include "source/source.h"
#include "kernel/abi.h"

enum { ROW = 16 };
#define VALUE_MAX (16u << 20)

static int refused(uint32_t id, int err, struct err *e)
{
	switch (err) {
	case -ENODATA:
		return map_unsaved(id, e);
	case -EBADMSG:
		return err_set(e, err, "map %u: what was read of the arena makes no sense", id);
	default:
		err_sys(e, err, "map %u: cannot read the arena", id);
		source_hint(e);
		return err == -EPERM ? err : err_hint(e, "the kernel must have BTF and run BPF programs that read its memory");
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
		out_fmt(o, "%08llx  ", (unsigned long long)(offset + i));
		out_hex(o, p + i, ROW);
		out_str(o, "  |");
		for (unsigned k = 0; k < ROW; k++)
			out_char(o, p[i + k] >= 0x20 && p[i + k] < 0x7f ? (char)p[i + k] : '.');
		out_str(o, "|\n");
	}
}

static void place_json(struct jsonw *w, uint64_t user, uint64_t offset)
{
	jsonw_name(w, "offset");
	jsonw_uint(w, offset);
	jsonw_name(w, "address");
	jsonw_uint(w, user + offset);
}

static void page_json(struct jsonw *w, const struct pages *p, uint32_t i)
{
	jsonw_object(w);
	jsonw_name(w, "page");
	jsonw_uint(w, pages_number(p, i));
	place_json(w, p->head.user, offset_of(&p->head, pages_number(p, i)));
	jsonw_name(w, "data");
	jsonw_hexbytes(w, pages_bytes(p, i), p->head.page_size);
	jsonw_end(w);
}

static void page_print(struct env *env, const struct pages *p, uint32_t i, struct jsonw *w, bool lines)
{
	const uint64_t offset = offset_of(&p->head, pages_number(p, i));
	struct jsonw line;

	if (lines) {
		jsonw_init(&line, env->report->out, false);
		page_json(&line, p, i);
		out_char(env->report->out, '\n');
	} else if (w) {
		page_json(w, p, i);
	} else {
		out_fmt(env->report->out, "page %u  offset 0x%llx  address 0x%llx\n", pages_number(p, i), (unsigned long long)offset,
			(unsigned long long)(p->head.user + offset));
		rows_print(env->report->out, pages_bytes(p, i), p->head.page_size, offset);
	}
}

int pages_dump(struct env *env, const struct abi_map_info *info, struct jsonw *w, bool lines, struct err *e)
{
	const size_t mark = arena_mark(env->arena);
	uint32_t found = 0;
	struct pages p = { 0 };

	do {
		int err;

		arena_rewind(env->arena, mark);
		err = pages_get(env->machine, env->arena, info->id, p.head.next, &p);
		if (err)
			return refused(info->id, err, e);
		for (uint32_t i = 0; i < p.head.count && !out_dead(env->report->out); i++)
			page_print(env, &p, i, w, lines);
		found += p.head.count;
	} while (p.head.next && !out_dead(env->report->out));
	if (!w && !lines)
		out_fmt(env->report->out, "Found %u page%s of %u\n", found, found == 1 ? "" : "s", info->max_entries);
	return 0;
}

/* "0x100000000040" or 64; a number that is both counts as an address. */
static int place_parse(const char *at, const struct abi_map_info *info, const struct pages_head *h, uint64_t *ret, struct err *e)
{
	const uint64_t room = (uint64_t)h->pages * h->page_size;
	uint64_t v = 0;
	int err = at ? num_parse_u64(at, &v) : 0;

	if (err)
		return err_usage(e, "'%s' is neither an address nor an offset", at);
	if (at && h->user && v >= h->user && v - h->user < room)
		v -= h->user;
	if (v >= room)
		return err_set(e, -ENOENT, "map %u: %s is not in the arena: 0x%llx bytes from 0x%llx on", info->id, at ? at : "0",
			       (unsigned long long)room, (unsigned long long)h->user);
	*ret = v;
	return 0;
}

/* The bytes of @ret that are in this answer; returns how many. */
static uint64_t bytes_take(const struct pages *p, uint64_t offset, unsigned char *ret, uint64_t n)
{
	const uint64_t size = p->head.page_size;
	uint64_t taken = 0;

	for (uint32_t i = 0; i < p->head.count; i++) {
		const uint64_t page = offset_of(&p->head, pages_number(p, i));
		const uint64_t from = offset > page ? offset : page, end = offset + n < page + size ? offset + n : page + size;

		if (from >= end)
			continue;
		memcpy(ret + (from - offset), pages_bytes(p, i) + (from - page), end - from);
		taken += end - from;
	}
	return taken;
}

/* The running kernel is asked for the first page that is wanted; an archive has the answers of a whole dump. */
static int value_read_at(struct env *env, uint32_t id, const struct pages_head *h, uint64_t offset, unsigned char *ret, uint64_t n,
			 struct err *e)
{
	const size_t mark = arena_mark(env->arena);
	struct pages p = { .head = { .next = (uint32_t)(offset / h->page_size) } };
	uint64_t taken = 0;

	do {
		int err = pages_get(env->machine, env->arena, id, p.head.next, &p);

		if (err == -ENODATA && p.head.next && !taken)
			err = pages_get(env->machine, env->arena, id, 0, &p);
		if (err)
			return refused(id, err, e);
		taken += bytes_take(&p, offset, ret, n);
		arena_rewind(env->arena, mark);
	} while (taken < n && p.head.next && offset_of(&p.head, p.head.next) < offset + n);
	if (taken == n)
		return 0;
	return err_set(e, -ENOENT, "map %u: no page is there at offset 0x%llx%s", id, (unsigned long long)offset,
		       taken ? " for all of the value" : "");
}

static void value_show(struct env *env, const struct pages_head *h, uint64_t offset, const unsigned char *p, uint64_t n,
		       const struct value_plan *plan)
{
	struct jsonw plain;

	if (!env->report->jw) {
		jsonw_init(&plain, env->report->out, true);
		value_print(plan, &plain, p, n);
		out_char(env->report->out, '\n');
		return;
	}
	jsonw_object(env->report->jw);
	place_json(env->report->jw, h->user, offset);
	jsonw_name(env->report->jw, "data");
	jsonw_hexbytes(env->report->jw, p, n);
	jsonw_name(env->report->jw, "formatted");
	value_print(plan, env->report->jw, p, n);
	jsonw_end(env->report->jw);
}

int pages_value(struct env *env, const struct abi_map_info *info, const struct pages_opts *o, struct err *e)
{
	const struct value_plan *plan = NULL;
	uint64_t size = 0, offset = 0;
	unsigned char *bytes;
	struct pages p;
	int err;

	if (!o->type)
		return err_usage(e, "what is %s: say it with 'type'", o->at ? o->at : "there");
	err = map_type_plan(env, info->id, info->btf_id, o->type, &o->from, &plan, &size, e);
	if (err)
		return err;
	err = pages_get(env->machine, env->arena, info->id, 0, &p);
	if (err)
		return refused(info->id, err, e);
	err = place_parse(o->at, info, &p.head, &offset, e);
	if (err)
		return err;
	if (size > VALUE_MAX || size > (uint64_t)p.head.pages * p.head.page_size - offset)
		return err_set(e, -ENOENT, "map %u: %llu bytes of '%s' do not fit behind offset 0x%llx", info->id,
			       (unsigned long long)size, o->type, (unsigned long long)offset);
	bytes = arena_room(env->keep, size);
	err = value_read_at(env, info->id, &p.head, offset, bytes, size, e);
	if (!err)
		value_show(env, &p.head, offset, bytes, size, plan);
	return err;
}
