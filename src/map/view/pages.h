/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

struct abi_map_info;
/* The contents of an arena: memory of which some pages exist. */
struct pages_opts {
	const char *type, *at; /* NULL: all pages as bytes; the beginning */
};
#define PAGES_ARGS(T, m) \
	ARG("type", ARG_STR, T, m.type, "for an arena: a value of that type", .metavar = "TYPE"), \
		ARG("at", ARG_STR, T, m.at, "for an arena: address or offset of the value", \
		    .metavar = "ADDRESS|OFFSET")
static inline bool pages_are_asked(const struct pages_opts *o)
{
	return o->type || o->at;
}

/*
 * Prints its pages: in plain text (@w NULL) 16 bytes on a line, without lines equal to the previous one; else an object
 * for each page in the array that is open in @w, with @lines on a line each.
 */
int pages_dump(struct env *env, const struct abi_map_info *info, struct jsonw *w, bool lines, struct err *e);
/*
 * Prints one value, in the format of the output. @from: source of its type, else a program that uses the arena.
 * -ENOENT: its page does not exist.
 */
int pages_value(struct env *env, const struct abi_map_info *info, const struct pages_opts *o,
		const struct types_ref *from, struct err *e);
