/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/regex.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

#define REGEX_DEPTH 32

/*
 * If a repetition starts at p ("*", "+", "?", "{n,m}"): how many times it copies the atom before it; *len is its
 * length.
 */
static unsigned long repeats(const char *p, size_t *len)
{
	unsigned long n = 0, max;
	const char *q = p + 1;

	*len = 1;
	switch (*p) {
	case '*':
	case '?':
	case '+':
		return 2;
	case '{':
		break;
	default:
		*len = 0;
		return 1;
	}
	max = 1;
	for (; *q && *q != '}'; q++) {
		if (isdigit((unsigned char)*q))
			n = n < REGEX_WEIGHT ? n * 10 + (unsigned long)(*q - '0') : n;
		else
			n = 0;
		if (n + 1 > max)
			max = n + 1;
	}
	*len = (size_t)(q - p) + (*q == '}');
	return max;
}

/* Length of the bracket expression at p. */
static size_t bracket_len(const char *p)
{
	const char *q = p + 1, *end;

	q += *q == '^';
	q += *q == ']';
	while (*q && *q != ']') {
		if (*q == '[' && q[1] && strchr(".:=", q[1])) {
			for (end = q + 2; *end && !(end[0] == q[1] && end[1] == ']'); end++)
				;
			if (!*end)
				break;
			q = end + 1;
		}
		q++;
	}
	return (size_t)(q - p) + (*q == ']');
}

/* An open group: its positions with repetitions expanded, and whether it matches the empty string. */
struct regex_group {
	unsigned long weight;
	bool empty; /* an earlier alternative does */
	bool blank; /* so far, the current one does */
};

/* The groups that are open, and the atom before p: its weight is 0 if there is nothing to repeat. */
struct weighing {
	struct regex_group group[REGEX_DEPTH + 1];
	struct regex_group atom;
	unsigned depth;
	bool blank; /* the current alternative without the atom */
};

static void atom_add(struct weighing *w, unsigned long weight, bool empty)
{
	struct regex_group *g = &w->group[w->depth];

	w->blank = g->blank;
	w->atom = (struct regex_group){ weight, empty, false };
	g->weight += weight;
	g->blank &= empty;
}

/*
 * A repetition of a repetition is undefined in POSIX and costs exponential memory in glibc; a repetition of what
 * matches the empty string costs exponential time.
 */
static bool repetition_add(struct weighing *w, const char *p, unsigned long n)
{
	struct regex_group *g = &w->group[w->depth];

	if (!w->atom.weight || w->atom.weight * n > REGEX_WEIGHT || (w->atom.empty && *p != '?'))
		return false;
	if (*p == '*' || *p == '?' || (*p == '{' && !strtoul(p + 1, NULL, 10)))
		g->blank = w->blank;
	g->weight += w->atom.weight * (n - 1);
	w->atom.weight = 0;
	return true;
}

/* Add the group, its end, the alternative or the atom that starts at p. Its length, or 0 if it is refused. */
static size_t element_add(struct weighing *w, const char *p)
{
	struct regex_group *g = &w->group[w->depth];

	w->atom.weight = 0;
	switch (*p) {
	case '(':
		if (++w->depth > REGEX_DEPTH)
			return 0;
		w->group[w->depth] = (struct regex_group){ .blank = true };
		return 1;
	case ')':
		if (!w->depth)
			break;
		w->depth--;
		atom_add(w, g->weight + 1, g->empty || g->blank);
		return 1;
	case '|':
		g->empty |= g->blank;
		g->blank = true;
		g->weight++;
		return 1;
	case '^':
		g->weight++;
		return 1;
	case '$':
		atom_add(w, 1, true);
		return 1;
	case '[':
		atom_add(w, 1, false);
		return bracket_len(p);
	case '\\':
		if (isdigit((unsigned char)p[1]))
			return 0;
		atom_add(w, 1, p[1] && strchr("<>bB`'", p[1]));
		return p[1] ? 2 : 1;
	}
	atom_add(w, 1, false);
	return 1;
}

/* Whether the expression is refused: it would take too much memory or time. */
static bool regex_is_heavy(const char *p)
{
	struct weighing w = { .group[0].blank = true };
	unsigned long n;
	size_t len;

	for (; *p; p += len) {
		n = repeats(p, &len);
		if (len ? !repetition_add(&w, p, n) : !(len = element_add(&w, p)))
			return true;
		if (w.group[w.depth].weight > REGEX_WEIGHT)
			return true;
	}
	return false;
}

static void regex_free(void *p)
{
	regfree(p);
}

int regex_compile(regex_t **ret, const char *text, struct arena *a, struct err *e)
{
	regex_t *re;
	char why[128];
	int rc;

	if (regex_is_heavy(text))
		return err_usage(e,
				 "the regular expression '%.64s' is not supported: it has a back reference, or "
				 "a repetition that is empty, too large or too deeply nested",
				 text);
	re = arena_alloc(a, sizeof(*re));
	rc = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (rc == REG_ESPACE)
		arena_die(0);
	if (rc) {
		regerror(rc, re, why, sizeof(why));
		return err_usage(e, "the regular expression '%.64s' is wrong: %s", text, why);
	}
	arena_defer(a, regex_free, re);
	*ret = re;
	return 0;
}
