/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PAINT_H
#define BASE_PAINT_H

struct out;
struct err;
/* What a piece of text says, which its colour follows from. The words are those of BPFLENS_COLORS. */
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
	ROLE_UNKNOWN,
	ROLE_HOLE,
	ROLE_BAR,
	ROLE_WARM,
	ROLE_HOT,
	ROLE_ERROR,
	ROLE_NOTE,
	ROLES
};

/* Parameters of SGR, "1;31", by role; NULL or "": as the text around it. */
struct palette {
	const char *sgr[ROLES];
	char text[512]; /* holds those that were given */
};

/*
 * The usual colours with those of @text, "role=SGR:role=SGR" as in GREP_COLORS; NULL: the usual ones. -EINVAL with a
 * sentence for a role that does not exist, for what is not SGR, or for too long a text; the rest of *ret is valid then,
 * too.
 */
int palette_parse(struct palette *ret, const char *text, struct err *e);
const char *role_word(enum role r);
const char *role_help(enum role r);

/* What is written from here on has the colour of @r; ROLE_NONE: none. Nothing unless o->color. */
void out_paint(struct out *o, enum role r);

#endif
