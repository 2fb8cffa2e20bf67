/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct out;
struct err;
/* What a piece of text is, which decides its colour. The names of the roles are those of BPFLENS_COLORS. */
enum role {
	ROLE_NONE,
	ROLE_HEADING,
	ROLE_KIND,
	ROLE_ID,
	ROLE_NAME,
	ROLE_PLACE,
	ROLE_OWNER,
	ROLE_KEY,
	ROLE_SOURCE,
	ROLE_CHANGED,
	ROLE_ADDED,
	ROLE_REMOVED,
	ROLE_OK,
	ROLE_LIMITED,
	ROLE_PROBLEM,
	ROLE_UNKNOWN,
	ROLE_HOLE,
	ROLE_BAR,
	ROLE_WARM,
	ROLE_HOT,
	ROLE_ERROR,
	ROLE_NOTE,
	ROLES
};

/* Parameters of SGR, "1;31", by role; NULL or "": no colour. */
struct palette {
	const char *sgr[ROLES];
	char text[512]; /* the strings that sgr points to */
};

/*
 * The default colours, those for the background that @fgbg names (COLORFGBG; NULL: unknown), or bold and underlined
 * text on a terminal without 256 colours (@term: TERM; NULL: unknown), changed by @text, "role=SGR:role=SGR" as in
 * GREP_COLORS, which may begin with a set, "light:role=SGR"; NULL: no changes. -EINVAL with a message if a role does
 * not exist, a value is not SGR, or @text is too long; the rest of *ret is valid also then.
 */
int palette_parse(struct palette *ret, const char *text, const char *fgbg, const char *term, struct err *e);
const char *role_word(enum role r);
const char *role_help(enum role r);

/* Everything written from now on has the colour of @r; ROLE_NONE: no colour. Has no effect unless o->color. */
void out_paint(struct out *o, enum role r);
