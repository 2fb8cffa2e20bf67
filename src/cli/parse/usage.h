/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

/* One usage line: "prog dump {xlated|jited} PROG [opcodes] [linum] [file PATH]". */
char *command_usage(const struct group *g, const struct command *c, struct arena *a);
/*
 * The same in parts that must not be broken. *i begins at 0 and is moved after the rows of the part. NULL after the
 * last part.
 */
char *command_usage_part(const struct group *g, const struct command *c, size_t *i, struct arena *a);
/* An argument in usage: "PROG", "[file PATH]", "[-o|--columns COL]"; and the name of its value: "PATH". */
char *arg_usage(const struct arg *arg, const struct kind *kind, struct arena *a);
char *arg_metavar(const struct arg *arg, const struct kind *kind, struct arena *a);
/* Its help; for objects with the ways to select one: "what to pin: id N, name NAME or pinned PATH". */
const char *arg_help(const struct arg *arg, const struct kind *kind, struct arena *a);

/* The command's example without the program's name, KIND replaced by the group's; NULL: it has none. */
char *command_example(const struct group *g, const struct command *c, struct arena *a);
/*
 * A command line that begins in column @at. One of more than @width columns is continued after a backslash, as in the
 * shell, @indent columns from the left; a word of the shell is not broken.
 */
const char *shell_lines(const char *line, size_t at, size_t indent, size_t width, struct arena *a);
