/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/paint.h"

#include "base/base.h"

enum { SET_DEFAULT, SET_LIGHT, SET_DARK, SET_MONO, SETS };
static const char *const set_words[SETS] = { "default", "light", "dark", "mono" };

/*
 * Of the cube of 256 colours, which no theme of a terminal changes: the 16 that themes change include no green or cyan
 * that can be read on black and on white. The default reaches a contrast of 3:1 on dark and light backgrounds, the
 * sets for one of them 4.5:1 on it; the unit test computes it.
 */
enum tint { PLAIN, BOLD, CYAN, GREEN, MAGENTA, RED, ALARM, TINTS };
static const char *const tints[TINTS][SETS] = {
	[PLAIN] = { "", "", "", "" },
	[BOLD] = { "1", "1", "1", "1" },
	[CYAN] = { "38;5;30", "38;5;23", "38;5;44", "" },
	[GREEN] = { "38;5;28", "38;5;22", "38;5;40", "4" },
	[MAGENTA] = { "38;5;163", "38;5;90", "38;5;213", "1;4" },
	[RED] = { "38;5;196", "38;5;124", "38;5;210", "1" },
	[ALARM] = { "1;38;5;196", "1;38;5;124", "1;38;5;210", "1;7" },
};

static const struct {
	const char *word;
	enum tint tint;
	const char *help;
} roles[ROLES] = {
	[ROLE_NONE] = { "", PLAIN, "" },
	[ROLE_HEADING] = { "heading", BOLD, "headings" },
	[ROLE_KIND] = { "kind", CYAN, "types, hooks and other names of the kernel" },
	[ROLE_ID] = { "id", BOLD, "ids of programs, maps, links and BTF objects" },
	[ROLE_NAME] = { "name", GREEN, "names of objects, types, members and functions" },
	[ROLE_PLACE] = { "place", BOLD, "places and pins" },
	[ROLE_OWNER] = { "owner", MAGENTA, "processes that hold an object" },
	[ROLE_KEY] = { "key", GREEN, "keys of a map's elements" },
	[ROLE_SOURCE] = { "source", CYAN, "source lines" },
	[ROLE_CHANGED] = { "changed", BOLD, "changed values" },
	[ROLE_ADDED] = { "added", GREEN, "added values" },
	[ROLE_REMOVED] = { "removed", RED, "removed values" },
	[ROLE_OK] = { "ok", GREEN, "states that need no action" },
	[ROLE_LIMITED] = { "limited", MAGENTA, "states and findings that limit something" },
	[ROLE_PROBLEM] = { "problem", ALARM, "states and findings that need action" },
	[ROLE_UNKNOWN] = { "unknown", RED, "the ? of values that could not be read" },
	[ROLE_HOLE] = { "hole", RED, "unused bytes in types" },
	[ROLE_BAR] = { "bar", CYAN, "bars of histograms" },
	[ROLE_WARM] = { "warm", MAGENTA, "code with 1 % of the samples or more" },
	[ROLE_HOT] = { "hot", RED, "code with 10 % of the samples or more" },
	[ROLE_ERROR] = { "error", ALARM, "errors, on standard error" },
	[ROLE_NOTE] = { "note", CYAN, "hints and notes, on standard error" },
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

/* COLORFGBG is "15;0" or "15;default;0": the last number is that of the background. */
static unsigned set_of_background(const char *fgbg)
{
	const char *last = fgbg ? strrchr(fgbg, ';') : NULL;
	uint32_t color;

	if (!last || num_parse_u32(last + 1, &color) || color > 15)
		return SET_DEFAULT;
	return color == 7 || color == 15 ? SET_LIGHT : SET_DARK;
}

/* Other terminals have 256 colours, or approximate them, as Linux does; these take the 5 of "38;5;N" for blinking. */
static bool has_few_colors(const char *term)
{
	static const char *const words[] = { "ansi", "cons25",	    "cygwin",	     "rxvt",
					     "sun",  "xterm-color", "xterm-16color", "xterm-88color" };

	for (size_t i = 0; term && i < ARRAY_SIZE(words); i++)
		if (!strcmp(term, words[i]))
			return true;
	return term && str_starts(term, "vt");
}

static unsigned set_named(const char *s)
{
	unsigned set = 0;

	while (set < SETS && strcmp(set_words[set], s) != 0)
		set++;
	return set;
}

static void set_use(struct palette *p, unsigned set)
{
	for (enum role r = 0; r < ROLES; r++)
		p->sgr[r] = tints[roles[r].tint][set];
}

int palette_parse(struct palette *ret, const char *text, const char *fgbg, const char *term, struct err *e)
{
	size_t n = text ? strlen(text) : 0;
	int err = 0, bad;

	set_use(ret, has_few_colors(term) ? SET_MONO : set_of_background(fgbg));
	if (n >= sizeof(ret->text))
		return err_set(e, -EINVAL, "BPFLENS_COLORS is longer than %zu bytes", sizeof(ret->text) - 1);
	memcpy(ret->text, text ? text : "", n + 1);
	for (char *s = ret->text, *end; s; s = end) {
		end = strchr(s, ':');
		if (end)
			*end++ = 0;
		if (s == ret->text && set_named(s) < SETS) {
			set_use(ret, set_named(s));
			continue;
		}
		bad = *s ? palette_set(ret, s, e) : 0;
		err = err ? err : bad;
	}
	return err;
}

void out_paint(struct out *o, enum role r)
{
	const char *sgr = o->palette ? o->palette->sgr[r] : tints[roles[r].tint][SET_DEFAULT];

	if (!o->color || (r == ROLE_NONE && !o->painted))
		return;
	if (r == ROLE_NONE)
		out_str(o, "\033[0m");
	o->painted = sgr && *sgr;
	if (o->painted)
		out_fmt(o, "\033[%sm", sgr);
}
