/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "types/value/aggregate.h"
#include "types/btf.h"
#include "types/value/member.h"
#include "types/value/value.h"
#include "btf_input.h"
#include "render/jsonw.h"
#include "kernel/abi.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

#define MAX_TYPES 64
#define MAX_OUTPUT (64u << 20)

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

/* The strings as a path to a member; and all CPUs' values, which are the halves, as one. */
static void ask(const struct btf_types *t, uint32_t id, const char *path, const uint8_t *value, size_t n)
{
	ARENA a = arena_new();
	struct value_plan *plan = value_plan(t, id, VALUE_FORMATTED, a);
	const struct member_test *test;
	struct aggregator g;
	struct member m;
	uint8_t *ret;

	if (!member_find(&m, plan, "value", path, NULL)) {
		member_cmp(&m, value, value, n);
		if (!member_test_parse(&test, &m, path, OP_GE, "10.0.0.1", a, NULL) ||
		    !member_test_parse(&test, &m, path, OP_NE, "5", a, NULL) ||
		    !member_test_parse(&test, &m, path, OP_EQ, NULL, a, NULL))
			member_match(test, value, n);
	}
	if (!aggregator_init(&g, AGGREGATE_AVG, plan, n / 2, a, NULL) && g.size < MAX_OUTPUT / 64) {
		ret = malloc(g.size + 1);
		if (!ret)
			abort();
		aggregate(&g, value, n / 2, 2, ret);
		free(ret);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL;
	uint8_t *value, *raw;
	struct input in;
	uint32_t id;

	if (input_parse(p, n, &in))
		return 0;
	/* Of exactly this size, so that ASan notices a read past the end. */
	value = malloc(in.value_n + !in.value_n);
	raw = malloc(n + sizeof(struct abi_btf_header) + 2);
	if (!value || !raw)
		abort();
	memcpy(value, in.value, in.value_n);
	if (!btf_parse(&t, raw, btf_make(&in, raw), NULL, NULL)) {
		for (id = 0; id <= btf_count(t) && id < MAX_TYPES; id++) {
			print(t, id, VALUE_FORMATTED, value, in.value_n);
			print(t, id, VALUE_TYPED, value, in.value_n);
			ask(t, id, btf_str(t, 1), value, in.value_n);
			ask(t, id, "", value, in.value_n);
		}
	}
	btf_release(&t);
	free(value);
	free(raw);
	return 0;
}
