/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "types/btf.h"
#include "types/c/syntax.h"
#include "btf/raw.h"
#include "render/doc.h"
#include "render/jsonw.h"

#define MAX_TYPES 2000
#define MAX_OUTPUT (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* In every format. The output of C must end; large inputs are skipped, because they are slow. */
static void dump(const struct btf_types *t)
{
	struct err e = { 0 };
	ARENA a = arena_new();
	struct doc text, json;
	struct jsonw w;
	struct out o;

	if (btf_count(t) > MAX_TYPES)
		return;
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	doc_init(&text, &o, NULL, a);
	doc_init(&json, &o, &w, a);
	for (uint32_t id = 0; id < btf_count(t); id++) {
		raw_write(t, id, &text);
		raw_write(t, id, &json);
		if (w.depth)
			__builtin_trap();
		if (o.n > MAX_OUTPUT)
			o.n = 0;
	}
	c_syntax(t, NULL, 0, btf_count(t) % 2, &o, &e);
	out_close(&o, NULL);
}

/* Not in the target btf, which is fast: texts can be long. */
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL, *split = NULL;

	if (btf_parse(&t, p, n, NULL, NULL))
		return 0;
	dump(t);
	/* The same bytes as the BTF of a module, with themselves as base. */
	if (!btf_parse(&split, p, n, t, NULL))
		dump(split);
	btf_release(&split);
	btf_release(&t);
	return 0;
}
