/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/column.h"

#include <strings.h>

#include "base/near.h"
#include "record/field.h"

#define HINT_MAX 60  /* longer lists are not put into a hint */
#define SHOWN_MAX 64 /* characters of a wrong name in the message */

const struct field *columns_next(struct columns *c)
{
	while (c->s && c->i >= c->s->n) {
		c->s = c->parts ? *c->parts++ : NULL;
		c->i = 0;
	}
	return c->s ? &c->s->fields[c->i++] : NULL;
}

/* The column's name for what was typed: an exact name, else a name in any case, else a heading in any case. */
static const char *column_name(const struct schema *s, const struct schema *const *parts, const char *typed)
{
	struct columns c = { .s = s, .parts = parts };
	const char *folded = NULL, *headed = NULL;
	const struct field *f;

	while ((f = columns_next(&c))) {
		if (!strcmp(f->name, typed))
			return f->name;
		if (!folded && field_called(f, typed, strcasecmp))
			folded = f->name;
		if (!headed && f->title && !strcasecmp(f->title, typed))
			headed = f->name;
	}
	return folded ? folded : headed ? headed : typed;
}

const struct field *column_find(const struct schema *s, const struct schema *const *parts, const char *name,
				unsigned *ret_need)
{
	struct columns c = { .s = s, .parts = parts };
	const struct field *f, *found = NULL;
	unsigned need = 0;

	name = column_name(s, parts, name);
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

/* Only a short list is a hint; some verbs with columns have no --list-columns. */
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
	struct near near = { 0 };
	const struct field *f;
	STR list = { 0 };

	while ((f = columns_next(&c))) {
		near_offer(&near, name, f->name);
		near_offer(&near, name, f->also ? f->also : "");
		near_offer(&near, name, f->title ? f->title : "");
	}
	near_list(&near, &list);
	hint_columns(e, s, parts);
	return err_usage(e, "%s has no column '%.*s'%s%s", s->name, SHOWN_MAX, name, near.n ? "; similar: " : "",
			 near.n ? list.p : "");
}
