/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/near.h"

#include "base/base.h"

static bool resembles(const char *word, const char *name)
{
	size_t n = strlen(word);

	return *name && (str_distance(name, word) <= (n > 3 ? 2 : 1) ||
			 (n >= 2 && (strstr(name, word) || (str_starts(word, name) && 2 * strlen(name) >= n))));
}

/* Without its underscores; "" if it has none, or is too long to be compared. */
static const char *joined(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	if (!strchr(name, '_') || strlen(name) >= size)
		return "";
	for (; *name; name++)
		if (*name != '_')
			buf[n++] = *name;
	buf[n] = '\0';
	return buf;
}

bool near_is(const char *word, const char *name)
{
	char buf[64];

	return resembles(word, name) || resembles(word, joined(name, buf, sizeof(buf)));
}

void near_offer(struct near *s, const char *word, const char *name)
{
	unsigned slips;
	size_t at;

	if (!near_is(word, name))
		return;
	for (at = 0; at < s->n; at++)
		if (!strcmp(s->name[at], name))
			return;
	slips = str_distance(name, word);
	for (at = s->n; at && s->slips[at - 1] > slips; at--)
		;
	if (at == NEAR_MAX)
		return;
	s->n += s->n < NEAR_MAX;
	for (size_t i = s->n - 1; i > at; i--) {
		s->name[i] = s->name[i - 1];
		s->slips[i] = s->slips[i - 1];
	}
	s->name[at] = name;
	s->slips[at] = slips;
}

void near_list(const struct near *s, struct str *ret)
{
	for (size_t i = 0; i < s->n; i++)
		str_fmt(ret, "%s%s", i ? ", " : "", s->name[i]);
}

int near_hint(const struct near *s, struct err *e)
{
	STR list = { 0 };

	if (!s->n)
		return e->code;
	near_list(s, &list);
	return err_hint(e, "similar: %s", list.p);
}
