/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/completion.h"

static bool is_unquoted(const char *word)
{
	for (size_t n = strlen(word), len; n; word += len, n -= len) {
		len = str_utf8(word, n);
		if (!len || (unsigned char)*word < ' ' || str_control(word, len))
			return false;
	}
	return true;
}

bool completion_offer(const struct completion *c, const char *word, const char *help)
{
	struct out *o = c->env->report->out;

	if (!str_starts(word, c->typed) || !is_unquoted(word))
		return false;
	out_str(o, c->head);
	out_str(o, word);
	if (help && *help) {
		out_char(o, '\t');
		out_text(o, help);
	}
	out_char(o, '\n');
	return true;
}

void completion_files(const struct completion *c)
{
	out_str(c->env->report->out, ":files\n");
}
