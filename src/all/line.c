/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/line.h"

#include <sys/types.h>

#include "base/base.h"

#define BLANKS " \t\r\n"

/* Read a line, joined with those that a backslash continues: 1, 0 at the end, or -errno. */
static int read_joined(struct lines *l, struct str *ret, struct err *e)
{
	bool joined = false;
	ssize_t n;

	for (;;) {
		errno = 0;
		n = getline(&l->text, &l->cap, l->file);
		if (n < 0 && !feof(l->file))
			return err_sys(e, errno ? -errno : -EIO, "cannot read the batch file");
		if (n < 0)
			return joined ? err_usage(e, "missing continuation line") : 0;
		l->number++;
		if (memchr(l->text, '\0', (size_t)n))
			return err_usage(e, "the batch file contains a NUL byte");
		joined = n >= 2 && l->text[n - 1] == '\n' && l->text[n - 2] == '\\';
		str_add(ret, l->text, (size_t)(joined ? n - 2 : n));
		if (!joined)
			return 1;
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

void lines_release(struct lines *l)
{
	free(l->text);
	*l = (struct lines){ 0 };
}
