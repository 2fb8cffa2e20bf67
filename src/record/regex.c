/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/regex.h"

#include <ctype.h>
#include <errno.h>
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

/*
 * Number of positions in the expression once repetitions are expanded, or 0 if it is refused. sum[d] is the weight of
 * the open group d so far; last is the weight of the atom before p, or 0 if there is nothing to repeat: a repetition of
 * a repetition is undefined in POSIX and costs exponential memory in glibc.
 */
static unsigned long regex_weight(const char *p)
{
	unsigned long sum[REGEX_DEPTH + 1] = { 0 }, last = 0, n;
	unsigned depth = 0;
	size_t len;

	while (*p) {
		n = repeats(p, &len);
		if (len) {
			if (!last || last * n > REGEX_WEIGHT)
				return 0;
			sum[depth] += last * (n - 1);
			last = 0;
			p += len;
		} else if (*p == '(') {
			if (++depth > REGEX_DEPTH)
				return 0;
			sum[depth] = 0;
			last = 0;
			p++;
		} else if (*p == ')' && depth) {
			last = sum[depth] + 1;
			sum[--depth] += last;
			p++;
		} else {
			if (*p == '\\' && isdigit((unsigned char)p[1]))
				return 0;
			len = *p == '[' ? bracket_len(p) : *p == '\\' && p[1] ? 2 : 1;
			last = *p != '|' && *p != '^';
			sum[depth]++;
			p += len;
		}
		if (sum[depth] > REGEX_WEIGHT)
			return 0;
	}
	return sum[0] + 1;
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

	if (!regex_weight(text))
		return err_usage(
			e, "the regular expression '%.64s' repeats nothing, repeats or nests too much, or refers back",
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
