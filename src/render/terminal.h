/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* A screen with keys, by ncursesw, which is opened when it is needed, or linked into a static program. */
extern const bool terminal_built;
struct terminal;
/* What terminal_key() returns for keys that are no character. Enter, Escape and Backspace are the control characters.
 */
enum terminal_key {
	TERMINAL_NONE = -1, /* no key was pressed, or one that has no meaning here */
	TERMINAL_END = -2,  /* there will be none: the terminal is gone */
	TERMINAL_UP = 0x110000,
	TERMINAL_DOWN,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
	TERMINAL_HOME,
	TERMINAL_LAST,
	TERMINAL_RESIZED,
};
#define TERMINAL_ENTER '\n'
#define TERMINAL_ESCAPE 0x1b
#define TERMINAL_BACKSPACE 0x7f
/* Takes standard input and output. -ENOTSUP with a message: there is no library, or the terminal cannot do it. */
int terminal_open(struct terminal **ret, struct err *e);
void terminal_close(struct terminal **t); /* the terminal is as before */
void terminal_size(const struct terminal *t, unsigned *ret_columns, unsigned *ret_lines);
/* Shows lines of text of this program, with its colours (base/paint.h), from the first line on; what does not fit is
 * left out. */
void terminal_draw(struct terminal *t, const char *text, size_t n);
int terminal_key(struct terminal *t); /* does not wait */
