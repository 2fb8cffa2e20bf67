/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "btf/btf.h"
#include "btf/diff.h"
#include "btf/layout.h"

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
	/* The same bytes as a module's, on top of themselves. */
	if (!btf_parse(&split, p, n, t, NULL))
		walk(split);
	btf_release(&split);
	btf_release(&t);
	return 0;
}
