/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/parse/parser.h"

int parser_word(struct parser *p, const char *word, struct err *e);
int parser_end(struct parser *p, struct err *e); /* check that nothing required is missing */
/* Set @e for an option that neither the command (@p NULL: before its name, no command) nor every command has, with a
 * hint of similar ones. -EINVAL. */
int parser_unknown_option(const struct parser *p, const char *word, struct err *e);
/*
 * Fill in @opts from the words after the command's name. Strings point into argv; lists are in the arena. @bpftool:
 * only bpftool's grammar, in which an object begins with `id`, `name`, `tag` or `pinned`, and no command takes several.
 */
int command_parse(const struct command *c, const struct kind *kind, bool bpftool, int argc, const char *const *argv,
		  struct arena *a, void *opts, struct err *e);
