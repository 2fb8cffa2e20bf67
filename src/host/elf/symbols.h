/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The text of /proc/kallsyms, sorted by address. Zero addresses (kptr_restrict) are dropped, which then leaves an empty
 * table.
 */
struct symbols;
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module; /* NULL: the kernel itself */
};
/* Names are copied into the arena; @text is not changed. */
struct symbols *symbols_parse(const char *text, size_t n, struct arena *a);
/* The last symbol at or below addr; of several at one address the first in the text, as the kernel does; NULL: none. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
/* Find by name; the first call builds an index. NULL: none. */
const struct symbol *symbols_find_named(const struct symbols *s, const char *name);
/* The same, if no other symbol of that module (NULL: the kernel itself) has that name; else NULL. */
const struct symbol *symbols_only(const struct symbols *s, const char *name, const char *module);
size_t symbols_count(const struct symbols *s);
const struct symbol *symbols_at(const struct symbols *s, size_t i); /* @i < symbols_count(), ascending by address */
