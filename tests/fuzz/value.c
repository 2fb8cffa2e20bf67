/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/out.h"
#include "btf/btf.h"
#include "btf/value.h"
#include "render/jsonw.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

#define MAX_TYPES 64
#define MAX_OUTPUT (64u << 20)

/*
 * Input: the number of value bytes (1 byte) and of 4-byte words of the type section (2 bytes), the value, the types, the
 * strings without their first NUL. The header is made here, so that most inputs get past it.
 */
struct input {
	const uint8_t *value, *rest;
	size_t value_n, types_n, strs_n;
};

static int input_parse(const uint8_t *p, size_t n, struct input *ret)
{
	size_t left;

	if (n < 3 || n - 3 < p[0])
		return -1;
	left = n - 3 - p[0];
	ret->value = p + 3;
	ret->value_n = p[0];
	ret->rest = p + 3 + p[0];
	ret->types_n = (size_t)(p[1] | p[2] << 8) * 4;
	if (ret->types_n > left)
		ret->types_n = left & ~(size_t)3;
	ret->strs_n = left - ret->types_n;
	return 0;
}

static size_t btf_make(const struct input *in, uint8_t *ret)
{
	struct btf_header h = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h), .type_len = (uint32_t)in->types_n,
		.str_off = (uint32_t)in->types_n, .str_len = (uint32_t)in->strs_n + 2,
	};
	uint8_t *strs = ret + sizeof(h) + in->types_n;

	memcpy(ret, &h, sizeof(h));
	memcpy(ret + sizeof(h), in->rest, in->types_n);
	strs[0] = 0;
	memcpy(strs + 1, in->rest + in->types_n, in->strs_n);
	strs[1 + in->strs_n] = 0;
	return sizeof(h) + in->types_n + in->strs_n + 2;
}

static void print(const struct btf_types *t, uint32_t id, enum value_form form, const uint8_t *value, size_t n)
{
	ARENA a = arena_new();
	struct value_plan *plan = value_plan(t, id, form, a);
	struct jsonw w;
	struct out o;

	out_init(&o, -1);
	jsonw_init(&w, &o, form == VALUE_TYPED);
	value_print(plan, &w, value, n);
	if (w.depth || w.named || w.values == 0 || o.n > MAX_OUTPUT)
		__builtin_trap();
	out_close(&o, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL;
	uint8_t *value, *raw;
	struct input in;
	uint32_t id;

	if (input_parse(p, n, &in))
		return 0;
	/* Of exactly this size, so that ASan sees a byte too much. */
	value = malloc(in.value_n + !in.value_n);
	raw = malloc(n + sizeof(struct btf_header) + 2);
	if (!value || !raw)
		abort();
	memcpy(value, in.value, in.value_n);
	if (!btf_parse(&t, raw, btf_make(&in, raw), NULL, NULL)) {
		for (id = 0; id <= btf_count(t) && id < MAX_TYPES; id++) {
			print(t, id, VALUE_FORMATTED, value, in.value_n);
			print(t, id, VALUE_TYPED, value, in.value_n);
		}
	}
	btf_release(&t);
	free(value);
	free(raw);
	return 0;
}
