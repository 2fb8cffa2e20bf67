/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diff/edits.h"

static const char *const letters[] = { "a", "b", "c", "d" };

static struct edit_lines text(struct arena *a, const char *s)
{
	struct edit_lines ret = { .v = arena_array(a, strlen(s), sizeof(*ret.v)) };

	for (; *s; s++)
		ret.v[ret.n++].text = letters[*s - 'a'];
	return ret;
}

/* Like patch(1): hunks have positions; lines that stay and removed lines must be there. */
static void assert_patches(struct arena *arena, const struct edit_lines *a, const struct edit_lines *b,
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
				got.line[got.n++] = a->v[at].text;
			assert_int_equal(got.n, to - (m != 0));
			continue;
		}
		if (*l != '+')
			assert_true(at < a->n && !strcmp(l + 1, a->v[at].text));
		if (*l != '-')
			got.line[got.n++] = l + 1;
		at += *l != '+';
		*ret_changed += *l != ' ';
	}
	while (at < a->n)
		got.line[got.n++] = a->v[at++].text;
	assert_int_equal(got.n, b->n);
	for (size_t i = 0; i < b->n; i++)
		assert_string_equal(got.line[i], b->v[i].text);
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
		struct edit_lines a = text(arena, cases[i].a), b = text(arena, cases[i].b);
		struct text_lines edits;
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
		struct edit_lines a = { .v = arena_array(arena, na, sizeof(*a.v)), .n = na },
				  b = { .v = arena_array(arena, nb, sizeof(*b.v)), .n = nb };
		struct text_lines edits;
		unsigned changed;

		for (size_t i = 0; i < na; i++)
			a.v[i].text = letters[(size_t)rand() % kinds];
		for (size_t i = 0; i < nb; i++)
			b.v[i].text = i < na && rand() % 8 ? a.v[i].text : letters[(size_t)rand() % kinds];
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
	struct edit_lines a = { .v = arena_array(arena, n, sizeof(*a.v)), .n = n },
			  b = { .v = arena_array(arena, n, sizeof(*b.v)), .n = n };
	struct text_lines edits;
	unsigned changed;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		a.v[i].text = letters[i % 2];
		b.v[i].text = i < 10 || i + 10 >= n ? a.v[i].text : letters[2 + i % 2];
	}
	edits_find(&a, &b, arena, &edits);
	assert_patches(arena, &a, &b, &edits, &changed);
	assert_int_equal(changed, 2 * (n - 20));
	assert_int_equal(edits.n, 1 + 2 * (n - 20) + 6);
	arena_free(arena);
}

/* "goto 3" goes to line 3, ";" begins a quiet line. */
static struct edit_lines code(struct arena *a, const char *const *lines)
{
	struct edit_lines ret = { .v = arena_array(a, 16, sizeof(*ret.v)) };

	for (; *lines; lines++) {
		const bool jumps = !strncmp(*lines, "goto ", 5);

		ret.v[ret.n++] = (struct edit_line){ .text = jumps ? "goto " : *lines,
						     .quiet = **lines == ';',
						     .to = jumps ? (size_t)atoi(*lines + 5) : 0 };
	}
	return ret;
}

static void jumps(void **state)
{
	static const struct {
		const char *a[10], *b[10], *edits[12];
	} cases[] = {
		/* A label before the others, and lines that are no difference. */
		{ { "; x", "goto 4", "a", "b" },
		  { "n", "; y", "goto 5", "a", "b" },
		  { "@@ -1,3 +1,4 @@", "-; x", "+n", "+; y", " goto L1", " a" } },
		{ { "; x", "a", "b", "; x", "c" },
		  { "; y", "a", "b", "; y", "d" },
		  { "@@ -2,4 +1,5 @@", "+; y", " a", " b", "-; x", "-c", "+; y", "+d" } },
		{ { "a", "; x", "b" }, { "a", "; y", "b" }, { NULL } },
		{ { "goto 3", "a", "b" },
		  { "goto 5", "goto 6", "a", "n", "b", "c" },
		  { "@@ -1,5 +1,8 @@", " goto L1", "+goto L2", " a", "+n", " L1:", " b", " L2:", "+c" } },
		/* What is added at the target of a jump is shown, and not the jump. */
		{ { "goto 3", "a", "b" },
		  { "goto 3", "a", "n", "b" },
		  { "@@ -1,4 +1,5 @@", " goto L1", " a", " L1:", "+n", " b" } },
		/* Another target is a difference of the jump. */
		{ { "goto 2", "a", "b" },
		  { "goto 3", "a", "b" },
		  { "@@ -1,4 +1,4 @@", "-goto L1", "+goto L2", " L1:", " a", " L2:" } },
		{ { "a", "goto 1", "goto 3" },
		  { "a", "goto 1" },
		  { "@@ -2,4 +2,3 @@", " a", " goto L1", " L2:", "-goto L2" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *arena = arena_new();
		struct edit_lines a = code(arena, cases[i].a), b = code(arena, cases[i].b);
		struct text_lines edits;
		size_t n = 0;

		edits_find(&a, &b, arena, &edits);
		for (; n < edits.n && cases[i].edits[n]; n++)
			assert_string_equal(edits.line[n], cases[i].edits[n]);
		assert_int_equal(n, edits.n);
		assert_null(cases[i].edits[n]);
		arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known), cmocka_unit_test(any), cmocka_unit_test(many),
					    cmocka_unit_test(jumps) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
