/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "types/btf.h"
#include "btf/diff.h"
#include "types/declare.h"
#include "types/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void layouts(const struct btf_types *t)
{
	ARENA keep = arena_new();
	ARENA a = arena_new();
	struct layouts ls;
	struct layout l;
	uint32_t id;

	layouts_init(&ls, t, keep);
	for (id = 0; id <= btf_count(t); id++) {
		ARENA_SCOPE(a);

		btf_type_text(t, id, a);
		if (!layout_read(&ls, id, a, &l)) {
			if (l.listed > LAYOUT_MEMBERS)
				__builtin_trap();
			layout_words(t, &l, a);
		}
	}
}

/* A type does not differ from itself. */
static void itself(const struct btf_types *t)
{
	ARENA keep = arena_new();
	struct diff_type d;

	if (diff_next(diff_begin(t, t, keep), &d))
		__builtin_trap();
}

/* Not in the target btf, which is fast: this prints every type. */
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL;

	if (btf_parse(&t, p, n, NULL, NULL))
		return 0;
	layouts(t);
	itself(t);
	btf_release(&t);
	return 0;
}
