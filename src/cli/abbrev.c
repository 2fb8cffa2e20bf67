/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/abbrev.h"

static bool hidden(const struct word *w)
{
	return str_starts(w->name, "__");
}

const char *abbrev_nearest(const struct word *words, size_t n, const char *typed)
{
	unsigned best = 3, d;
	const char *ret = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		d = hidden(&words[i]) ? STR_DISTANCE_MAX : str_distance(typed, words[i].name);
		if (d < best && 2 * d <= strlen(words[i].name)) {
			best = d;
			ret = words[i].name;
		}
	}
	return ret;
}

/* List the words that begin with what was typed: "a, b". Returns their number. */
static size_t matches_offer(const struct word *words, size_t n, const char *typed, struct str *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (*typed && str_starts(words[i].name, typed) && !hidden(&words[i]))
			str_fmt(ret, "%s%s", count++ ? ", " : "", words[i].name);
	return count;
}

static int unknown(const struct word *words, size_t n, const char *typed, const char *what, struct err *e)
{
	STR list = { 0 };
	size_t count = matches_offer(words, n, typed, &list);
	const char *near = count == 1 ? list.p : abbrev_nearest(words, n, typed);

	if (count > 1)
		return err_usage(e, "unknown %s '%s'; did you mean one of %s?", what, typed, list.p);
	if (near)
		return err_usage(e, "unknown %s '%s'; did you mean '%s'?", what, typed, near);
	return err_usage(e, "unknown %s '%s'", what, typed);
}

static int ambiguous(const struct word *words, size_t n, const char *typed, struct err *e)
{
	STR list = { 0 };

	matches_offer(words, n, typed, &list);
	return err_usage(e, "'%s' is ambiguous: %s", typed, list.p);
}

int abbrev_pick(const struct word *words, size_t n, const char *typed, const char *what, struct err *e)
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
