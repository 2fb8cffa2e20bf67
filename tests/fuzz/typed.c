/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/json/jsonr.h"
#include "types/btf.h"
#include "types/value/value.h"
#include "btf_input.h"
#include "render/jsonw.h"
#include "kernel/abi.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

#define MAX_TYPES 64
#define VALUE 48 /* bytes of every value */

static void print(const struct value_plan *plan, enum value_form form, const void *value, struct out *o)
{
	struct jsonw w;

	out_init(o, -1);
	jsonw_init(&w, o, form == VALUE_TYPED);
	value_print(plan, &w, value, VALUE);
}

/* Any text; then the bytes of the text as a value: values of exact types are read again from their own output. */
static void try(const struct btf_types *t, uint32_t id, enum value_form form, const struct input *in, const char *word)
{
	ARENA a = arena_new();
	struct value_plan *plan = value_plan(t, id, form, a);
	unsigned char *value = calloc(VALUE, 1), *back = malloc(VALUE);
	struct jsonr r;
	struct out o;

	if (!value || !back)
		abort();
	jsonr_init(&r, "value", JSONR_HEX, (const char *)in->value, in->value_n);
	value_read(plan, &r, back, VALUE, NULL);
	memcpy(value, in->value, in->value_n < VALUE ? in->value_n : VALUE);
	memcpy(back, value, VALUE);
	if (value_set(plan, word, back, VALUE, NULL) && memcmp(back, value, VALUE) != 0)
		__builtin_trap();
	print(plan, form, value, &o);
	jsonr_init(&r, "value", form == VALUE_TYPED ? JSONR_HEX : 0, o.buf, o.n);
	if (value_exact(plan, VALUE) && (value_read(plan, &r, back, VALUE, NULL) || memcmp(back, value, VALUE) != 0))
		__builtin_trap();
	out_close(&o, NULL);
	free(value);
	free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct btf_types *t = NULL;
	uint8_t *raw;
	struct input in;
	char word[256];
	uint32_t id;

	if (input_parse(p, n, &in))
		return 0;
	raw = malloc(n + sizeof(struct abi_btf_header) + 2);
	if (!raw)
		abort();
	memcpy(word, in.value, in.value_n);
	word[in.value_n] = '\0';
	if (!btf_parse(&t, raw, btf_make(&in, raw), NULL, NULL)) {
		for (id = 1; id < btf_count(t) && id < MAX_TYPES; id++) {
			try(t, id, VALUE_FORMATTED, &in, word);
			try(t, id, VALUE_TYPED, &in, word);
		}
	}
	btf_release(&t);
	free(raw);
	return 0;
}
