/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/paint.h"

#include "base/base.h"

/* The colours among the 16 that can be read on black and on white: no blue, yellow, white or bright ones. */
static const struct {
	const char *word, *sgr, *help;
} roles[ROLES] = {
	[ROLE_NONE] = { "", "", "" },
	[ROLE_HEADING] = { "heading", "1", "headings" },
	[ROLE_KIND] = { "kind", "36", "types, hooks and other names of the kernel" },
	[ROLE_ID] = { "id", "1", "ids of programs, maps, links and BTF objects" },
	[ROLE_NAME] = { "name", "32", "names of objects, types, members and functions" },
	[ROLE_PLACE] = { "place", "1", "places and pins" },
	[ROLE_OWNER] = { "owner", "35", "processes that hold an object" },
	[ROLE_KEY] = { "key", "32", "keys of a map's elements" },
	[ROLE_SOURCE] = { "source", "36", "source lines" },
	[ROLE_CHANGED] = { "changed", "1", "changed values" },
	[ROLE_ADDED] = { "added", "32", "added values" },
	[ROLE_REMOVED] = { "removed", "31", "removed values" },
	[ROLE_UNKNOWN] = { "unknown", "31", "the ? of values that could not be read" },
	[ROLE_HOLE] = { "hole", "31", "unused bytes in types" },
	[ROLE_BAR] = { "bar", "36", "bars of histograms" },
	[ROLE_WARM] = { "warm", "35", "code with 1 % of the samples or more" },
	[ROLE_HOT] = { "hot", "31", "code with 10 % of the samples or more" },
	[ROLE_ERROR] = { "error", "1;31", "errors, on standard error" },
	[ROLE_NOTE] = { "note", "36", "hints and notes, on standard error" },
};

const char *role_word(enum role r)
{
	return roles[r].word;
}

const char *role_help(enum role r)
{
	return roles[r].help;
}

static enum role role_named(const char *s, size_t n)
{
	enum role r = ROLES;

	while (--r > ROLE_NONE && (strlen(roles[r].word) != n || memcmp(roles[r].word, s, n) != 0))
		;
	return r;
}

/* One "role=SGR", terminated by NUL. */
static int palette_set(struct palette *p, const char *s, struct err *e)
{
	const char *value = strchr(s, '=');
	enum role r = value ? role_named(s, (size_t)(value - s)) : ROLE_NONE;

	if (!value)
		return err_set(e, -EINVAL, "BPFLENS_COLORS: '%s' is not ROLE=SGR", s);
	if (r == ROLE_NONE)
		return err_set(e, -EINVAL, "BPFLENS_COLORS: no role '%.*s'", (int)(value - s), s);
	if (value[1 + strspn(value + 1, "0123456789;")])
		return err_set(e, -EINVAL, "BPFLENS_COLORS: '%s' may contain only numbers and semicolons", s);
	p->sgr[r] = value + 1;
	return 0;
}

int palette_parse(struct palette *ret, const char *text, struct err *e)
{
	size_t n = text ? strlen(text) : 0;
	int err = 0, bad;

	for (enum role r = 0; r < ROLES; r++)
		ret->sgr[r] = roles[r].sgr;
	if (n >= sizeof(ret->text))
		return err_set(e, -EINVAL, "BPFLENS_COLORS is longer than %zu bytes", sizeof(ret->text) - 1);
	memcpy(ret->text, text ? text : "", n + 1);
	for (char *s = ret->text, *end; s; s = end) {
		end = strchr(s, ':');
		if (end)
			*end++ = 0;
		bad = *s ? palette_set(ret, s, e) : 0;
		err = err ? err : bad;
	}
	return err;
}

void out_paint(struct out *o, enum role r)
{
	const char *sgr = o->palette ? o->palette->sgr[r] : roles[r].sgr;

	if (!o->color || (r == ROLE_NONE && !o->painted))
		return;
	if (r == ROLE_NONE)
		out_str(o, "\033[0m");
	o->painted = sgr && *sgr;
	if (o->painted)
		out_fmt(o, "\033[%sm", sgr);
}
