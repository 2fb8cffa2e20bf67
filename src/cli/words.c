/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define NEAR_MAX 32	/* longer words are not compared */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* Edits between two words, where swapping neighbours is one edit. */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), i, j;
	unsigned row[3][NEAR_MAX + 1];
	unsigned *old = row[0], *prev = row[1], *cur = row[2], *t;

	if (n > NEAR_MAX || m > NEAR_MAX)
		return NEAR_MAX;
	for (j = 0; j <= m; j++)
		old[j] = prev[j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		cur[0] = (unsigned)i;
		for (j = 1; j <= m; j++) {
			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && old[j - 2] + 1 < cur[j])
				cur[j] = old[j - 2] + 1;
		}
		t = old;
		old = prev;
		prev = cur;
		cur = t;
	}
	return prev[m];
}

static bool hidden(const struct word *w)
{
	return str_starts(w->name, "__");
}

const char *words_nearest(const struct word *words, size_t n, const char *typed)
{
	unsigned best = 3, d;
	const char *ret = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		d = hidden(&words[i]) ? NEAR_MAX : distance(typed, words[i].name);
		if (d < best && d < strlen(words[i].name)) {
			best = d;
			ret = words[i].name;
		}
	}
	return ret;
}

static int unknown(const struct word *words, size_t n, const char *typed, const char *what, struct err *e)
{
	const char *near = words_nearest(words, n, typed);

	if (near)
		return err_usage(e, "unknown %s '%s'; did you mean '%s'?", what, typed, near);
	return err_usage(e, "unknown %s '%s'", what, typed);
}

static int ambiguous(const struct word *words, size_t n, const char *typed, struct err *e)
{
	STR list = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		if (str_starts(words[i].name, typed) && !hidden(&words[i]))
			str_fmt(&list, "%s%s", list.n ? ", " : "", words[i].name);
	return err_usage(e, "'%s' is ambiguous: %s", typed, list.p);
}

int words_pick(const struct word *words, size_t n, const char *typed, const char *what, struct err *e)
{
	int first = -1, count = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(words[i].name, typed))
			return (int)i;
	for (i = 0; i < n; i++) {
		if (hidden(&words[i]) || !str_starts(words[i].name, typed))
			continue;
		if (!words[i].ours)
			return (int)i;
		if (typed[0] && typed[1] && !count++)
			first = (int)i;
	}
	if (!count)
		return unknown(words, n, typed, what, e);
	return count == 1 ? first : ambiguous(words, n, typed, e);
}
