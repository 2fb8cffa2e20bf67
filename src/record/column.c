/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/column.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "record/field.h"

#define NEAREST 5	/* names offered */
#define HINT_MAX 60	/* longer lists are not for a hint */
#define SHOWN_MAX 64	/* characters of a wrong name in the sentence */

const struct field *columns_next(struct columns *c)
{
	while (c->s && c->i >= c->s->n) {
		c->s = c->parts ? *c->parts++ : NULL;
		c->i = 0;
	}
	return c->s ? &c->s->fields[c->i++] : NULL;
}

const struct field *column_find(const struct schema *s, const struct schema *const *parts, const char *name,
				unsigned *ret_need)
{
	struct columns c = { .s = s, .parts = parts };
	const struct field *f, *found = NULL;
	unsigned need = 0;

	while ((f = columns_next(&c))) {
		if (strcmp(f->name, name) != 0)
			continue;
		if (!found)
			found = f;
		need |= f->need;
	}
	if (found && ret_need)
		*ret_need = need;
	return found;
}

static bool is_near(const char *name, const char *word)
{
	size_t n = strlen(word);

	return str_distance(name, word) <= (n > 3 ? 2 : 1) || (n >= 2 && (strstr(name, word) || str_starts(word, name)));
}

/* Few are named at once; not everything that has columns has --list-columns. */
static void hint_columns(struct err *e, const struct schema *s, const struct schema *const *parts)
{
	struct columns c = { .s = s, .parts = parts };
	const struct field *f;
	STR all = { 0 };

	while ((f = columns_next(&c)) && all.n < HINT_MAX)
		str_fmt(&all, "%s%s", all.n ? ", " : "", f->name);
	if (f || all.n >= HINT_MAX)
		err_hint(e, "--list-columns shows all columns");
	else
		err_hint(e, "there are: %s", all.p);
}

int column_unknown(struct err *e, const struct schema *s, const struct schema *const *parts, const char *name)
{
	struct columns c = { .s = s, .parts = parts };
	const struct field *f, *seen[NEAREST];
	STR near = { 0 };
	size_t n = 0, i;

	while (n < NEAREST && (f = columns_next(&c))) {
		if (!is_near(f->name, name))
			continue;
		for (i = 0; i < n && strcmp(seen[i]->name, f->name) != 0; i++)
			;
		if (i < n)
			continue;
		seen[n++] = f;
		str_fmt(&near, "%s%s", near.n ? ", " : "", f->name);
	}
	hint_columns(e, s, parts);
	return err_usage(e, "%s has no column '%.*s'%s%s", s->name, SHOWN_MAX, name, n ? "; near it: " : "",
			 n ? near.p : "");
}
