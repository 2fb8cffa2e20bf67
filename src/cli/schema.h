/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include <stddef.h>

struct group;
struct command;
struct schema;
struct jsonw;
/*
 * The field tables as JSON Schema (draft 2020-12): a definition for each sort of record, and for each command what its
 * document is made of. Beside the words of the draft stand "x-unit", what a number counts, "x-since", the version of
 * the schema that brought it, "x-same", the key that all documents have for the same fact, and "x-of", the types of
 * object that have it, if not all do.
 */
#define SCHEMA_VERSION 1 /* grows with each key that comes; a key never goes and never changes its type */

/* The records of a command's document: its own, or its kind's or group's, and behind them its parts; NULL: it has none.
 */
struct documented {
	const struct schema *first;
	const struct schema *const *parts, *const *rest;
};
struct documented documented_of(const struct group *g, const struct command *c);

/* One of the commands of a group that have records; NULL behind the last. *i begins at 0. */
const struct command *documented_next(const struct group *g, size_t *i);
/* The schema of one command's document, or with @c NULL of an object with a member for each command of @g, NULL: of
 * all. */
void schema_write(struct jsonw *w, const struct group *g, const struct command *c);

#endif
