/* SPDX-License-Identifier: BSD-2-Clause */
#include "../unit/sample.h"

#include "base/base.h"
#include "record/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Columns, order and filter as a user may type them, separated by newlines, and a record to match. No regular
 * expression: the C library compiles it, with any memory and time.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA a = arena_new();
	char *text = arena_dup(a, data, size), *part[3] = { NULL }, *save = NULL;
	struct sample_memory m;
	struct err e = { 0 };
	struct sample s;
	struct view v;
	size_t i;

	text = arena_str(a, text, size);
	if (strstr(text, "=~"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(part); i++)
		part[i] = strtok_r(i ? NULL : text, "\n", &save);
	srandom((unsigned)size);
	sample_random(&s, &m);
	if (view_parse(&v, &sample_schema, sample_parts, part[1], part[0], part[2], a, &e)) {
		if (!e.code || !e.msg[0])
			abort();
	} else {
		view_match(&v, &sample_schema, &s);
		view_cmp(&v, &sample_schema, &s, &s);
	}
	return 0;
}
