/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/line.h"

#define BLANKS " \t\r\n"

/* Add a line with its newline: 1, 0 at the end, or -errno. */
static int read_line(struct lines *l, struct str *ret, struct err *e)
{
	const size_t start = ret->n;
	int c;

	errno = 0;
	while ((c = getc_unlocked(l->file)) != EOF) {
		const char byte = (char)c;

		if (!c)
			return err_usage(e, "the batch file contains a NUL byte");
		if (ret->n == LINE_LENGTH)
			return err_usage(e, "the line is longer than %d bytes", LINE_LENGTH);
		str_add(ret, &byte, 1);
		if (c == '\n')
			return 1;
	}
	return ferror(l->file) ? err_sys(e, errno ? -errno : -EIO, "cannot read the batch file") : ret->n > start;
}

/* Read a line, joined with those that a backslash continues: 1, 0 at the end, or -errno. */
static int read_joined(struct lines *l, struct str *ret, struct err *e)
{
	for (bool joined = false;; joined = true) {
		int r = read_line(l, ret, e);

		if (!r && joined)
			return err_usage(e, "missing continuation line");
		if (r)
			l->number++;
		if (r <= 0)
			return r;
		if (ret->n < 2 || ret->p[ret->n - 1] != '\n' || ret->p[ret->n - 2] != '\\')
			return 1;
		ret->p[ret->n -= 2] = '\0';
	}
}

/* Cut one word out of *p; NULL at the end of the line. */
static const char *next_word(char **p, struct err *e)
{
	char *start = *p + strspn(*p, BLANKS), *end;
	char quote = *start;

	*p = start;
	if (!quote || quote == '#')
		return NULL;
	if (quote == '\'' || quote == '"') {
		end = strchr(++start, quote);
		if (!end) {
			err_usage(e, "unterminated quoted string");
			err_hint(e, "a word that begins with %c must end with another one on the same line", quote);
			return NULL;
		}
	} else {
		end = start + strcspn(start, BLANKS "#");
	}
	/* A comment immediately after a word: the line ends here. */
	*p = *end && *end != '#' ? end + 1 : end;
	*end = '\0';
	return start;
}

static int split(char *text, struct arena *a, struct line *ret, struct err *e)
{
	const char **words = arena_array(a, strlen(text) / 2 + 2, sizeof(*words));
	const char *word;
	size_t n = 0;

	while ((word = next_word(&text, e)))
		words[n++] = word;
	*ret = (struct line){ words, n };
	return e->code ? e->code : n > 0;
}

int lines_next(struct lines *l, struct arena *a, struct line *ret, struct err *e)
{
	int r;

	*ret = (struct line){ 0 };
	for (;;) {
		STR text = { 0 };

		r = read_joined(l, &text, e);
		if (r > 0)
			r = split(arena_str(a, text.p, text.n), a, ret, e);
		else
			return r;
		if (r)
			return r;
	}
}
