/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "btf/btf.h"
#include "btf/diff.h"
#include "btf/layout.h"
#include "btf/c_syntax.h"
#include "btf/raw.h"
#include "render/jsonw.h"

#define MAX_TYPES 2000
#define MAX_OUTPUT (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* Whatever is not refused must be safe to walk. */
static size_t walk(const struct btf_types *t)
{
	size_t touched = 0;
	uint32_t id;

	for (id = 0; id <= btf_count(t); id++) {
		STR text = { 0 };
		uint64_t size = 0;

		touched += strlen(btf_name(t, id)) + btf_resolve(t, id);
		btf_size(t, id, &size);
		btf_signature(t, id, &text);
		if (btf_enum_name(t, id, (int64_t)size))
			touched++;
		touched += text.n;
	}
	return touched + btf_find(t, "task_struct", BTF_KIND_STRUCT);
}

static void layouts(const struct btf_types *t)
{
	ARENA keep = arena_new();
	ARENA a = arena_new();
	struct layouts ls;
	struct layout l;
	uint32_t id;

	layouts_init(&ls, t, keep);
	for (id = 0; id <= btf_count(t); id++) {
		size_t mark = arena_mark(a);

		btf_type_text(t, id, a);
		if (!layout_read(&ls, id, a, &l)) {
			if (l.listed > LAYOUT_MEMBERS)
				__builtin_trap();
			layout_words(t, &l, a);
		}
		arena_rewind(a, mark);
	}
}

/* Nothing differs from itself. */
static void itself(const struct btf_types *t)
{
	ARENA keep = arena_new();
	ARENA a = arena_new();
	struct diff_type d;

	if (diff_next(diff_begin(t, t, keep), a, &d))
		__builtin_trap();
}

/* In every form. What libbpf is given must come to an end; large inputs are not looked at for the sake of speed. */
static void dump(const struct btf_types *t)
{
	struct err e = { 0 };
	struct jsonw w;
	struct out o;

	if (btf_count(t) > MAX_TYPES)
		return;
	libbpf_set_print(NULL);
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	for (uint32_t id = 0; id < btf_count(t); id++) {
		raw_plain(t, id, &o);
		raw_json(t, id, &w);
		if (w.depth)
			__builtin_trap();
		if (o.n > MAX_OUTPUT)
			o.n = 0;
	}
	c_syntax(t, NULL, 0, btf_count(t) % 2, &o, &e);
	out_close(&o, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL, *split = NULL;
	struct err e = { 0 };

	if (btf_parse(&t, p, n, NULL, &e)) {
		if (!e.code || !*e.msg || t)
			__builtin_trap();
		return 0;
	}
	walk(t);
	layouts(t);
	itself(t);
	dump(t);
	/* The same bytes as a module's, on top of themselves. */
	if (!btf_parse(&split, p, n, t, NULL))
		walk(split);
	if (split)
		dump(split);
	btf_release(&split);
	btf_release(&t);
	return 0;
}
