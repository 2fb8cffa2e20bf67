/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/near.h"

#include <string.h>

#include "base/str.h"

bool near_is(const char *word, const char *name)
{
	size_t n = strlen(word);

	return *name && (str_distance(name, word) <= (n > 3 ? 2 : 1) || (n >= 2 && (strstr(name, word) || str_starts(word, name))));
}

void near_offer(struct near *s, const char *word, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->name[i], name))
			return;
	if (s->n < NEAR_MAX && near_is(word, name))
		s->name[s->n++] = name;
}

void near_list(const struct near *s, struct str *ret)
{
	for (size_t i = 0; i < s->n; i++)
		str_fmt(ret, "%s%s", i ? ", " : "", s->name[i]);
}
