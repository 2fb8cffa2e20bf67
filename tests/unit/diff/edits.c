/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diff/edits.h"

static const char *const letters[] = { "a", "b", "c", "d" };

static struct text_lines text(struct arena *a, const char *s)
{
	struct text_lines ret = { .line = arena_array(a, strlen(s), sizeof(*ret.line)) };

	for (; *s; s++)
		ret.line[ret.n++] = letters[*s - 'a'];
	return ret;
}

/* Like patch(1): hunks have positions; lines that stay and removed lines must be there. */
static void assert_patches(struct arena *arena, const struct text_lines *a, const struct text_lines *b,
			   const struct text_lines *edits, unsigned *ret_changed)
{
	struct text_lines got = { .line = arena_array(arena, a->n + b->n, sizeof(*got.line)) };
	size_t at = 0;

	*ret_changed = 0;
	for (size_t i = 0; i < edits->n; i++) {
		const char *l = edits->line[i];
		size_t from, n, to, m;

		if (*l == '@') {
			assert_int_equal(sscanf(l, "@@ -%zu,%zu +%zu,%zu @@", &from, &n, &to, &m), 4);
			for (from -= n != 0; at < from; at++)
				got.line[got.n++] = a->line[at];
			assert_int_equal(got.n, to - (m != 0));
			continue;
		}
		if (*l != '+')
			assert_true(at < a->n && !strcmp(l + 1, a->line[at]));
		if (*l != '-')
			got.line[got.n++] = l + 1;
		at += *l != '+';
		*ret_changed += *l != ' ';
	}
	while (at < a->n)
		got.line[got.n++] = a->line[at++];
	assert_int_equal(got.n, b->n);
	for (size_t i = 0; i < b->n; i++)
		assert_string_equal(got.line[i], b->line[i]);
}

static void known(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned changed;
	} cases[] = {
		{ "", "", 0 },
		{ "abc", "abc", 0 },
		{ "", "a", 1 },
		{ "a", "", 1 },
		{ "abcd", "abd", 1 },
		{ "abd", "abcd", 1 },
		{ "abcabba", "cbabac", 5 },
		{ "aaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaacaaaaaaaaaaaaaaaaaaaaaaa", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *arena = arena_new();
		struct text_lines a = text(arena, cases[i].a), b = text(arena, cases[i].b), edits;
		unsigned changed;

		edits_find(&a, &b, arena, &edits);
		assert_patches(arena, &a, &b, &edits, &changed);
		assert_int_equal(changed, cases[i].changed);
		assert_int_equal(!edits.n, !changed);
		arena_free(arena);
	}
}

static void any(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 3000; round++) {
		struct arena *arena = arena_new();
		const size_t na = (size_t)rand() % 40, nb = (size_t)rand() % 40, kinds = 1 + (size_t)rand() % 4;
		struct text_lines a = { .line = arena_array(arena, na, sizeof(char *)), .n = na },
				  b = { .line = arena_array(arena, nb, sizeof(char *)), .n = nb };
		struct text_lines edits;
		unsigned changed;

		for (size_t i = 0; i < na; i++)
			a.line[i] = letters[(size_t)rand() % kinds];
		for (size_t i = 0; i < nb; i++)
			b.line[i] = i < na && rand() % 8 ? a.line[i] : letters[(size_t)rand() % kinds];
		edits_find(&a, &b, arena, &edits);
		assert_patches(arena, &a, &b, &edits, &changed);
		arena_free(arena);
	}
}

/* Too many differences: all lines of one are removed and all of the other added, except equal lines at both ends.
 */
static void many(void **state)
{
	struct arena *arena = arena_new();
	const size_t n = 3000;
	struct text_lines a = { .line = arena_array(arena, n, sizeof(char *)), .n = n },
			  b = { .line = arena_array(arena, n, sizeof(char *)), .n = n }, edits;
	unsigned changed;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		a.line[i] = letters[i % 2];
		b.line[i] = i < 10 || i + 10 >= n ? a.line[i] : letters[2 + i % 2];
	}
	edits_find(&a, &b, arena, &edits);
	assert_patches(arena, &a, &b, &edits, &changed);
	assert_int_equal(changed, 2 * (n - 20));
	assert_int_equal(edits.n, 1 + 2 * (n - 20) + 6);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known), cmocka_unit_test(any), cmocka_unit_test(many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
