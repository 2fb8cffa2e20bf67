/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "types/btf.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* All types that are not refused must be safe to walk. */
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
	/* The same bytes as the BTF of a module, with themselves as base. */
	if (!btf_parse(&split, p, n, t, NULL))
		walk(split);
	btf_release(&split);
	btf_release(&t);
	return 0;
}
