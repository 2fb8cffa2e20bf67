/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct group;
struct command;
struct schema;
struct jsonw;
/*
 * The field tables as JSON Schema (draft 2020-12): a definition for each kind of record, and for each command the
 * contents of its document. In addition to the words of the draft there are "x-unit", what a number counts; "x-since",
 * the version of the schema that added the key; "x-same", the key that all documents have for the same fact; and
 * "x-of", the types of objects that have the key, if not all have it.
 */
#define SCHEMA_VERSION 1 /* grows with each new key; a key is never removed and never changes its type */

/* The records of a command's document: its own, or its kind's or group's, and their parts; NULL: none. */
struct documented {
	const struct schema *first;
	const struct schema *const *parts, *const *rest;
};
struct documented documented_of(const struct group *g, const struct command *c);

/* The next command of a group that has records; NULL after the last. *i begins at 0. */
const struct command *documented_next(const struct group *g, size_t *i);
/* Write the schema of one command's document. @c NULL: of an object with a member for each command of @g. @g NULL: of
 * all groups. */
void schema_write(struct jsonw *w, const struct group *g, const struct command *c);
