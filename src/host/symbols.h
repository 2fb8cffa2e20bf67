/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_SYMBOLS_H
#define HOST_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct arena;
/* The text of /proc/kallsyms, sorted by address. Zero addresses (kptr_restrict) are dropped; the table is then empty.
 */
struct symbols;
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module; /* NULL: the kernel itself */
};
/* Names point into @text, which must outlive the table (it is not changed; names are copied into the arena). */
struct symbols *symbols_parse(const char *text, size_t n, struct arena *a);
/* The last symbol at or below addr, of several at a place the first of the text, as the kernel does; NULL: none. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
/* By name; linear the first time. NULL: none. */
const struct symbol *symbols_named(const struct symbols *s, const char *name);
/* The same, where no other has that name in that module (NULL: the kernel itself); else NULL. */
const struct symbol *symbols_only(const struct symbols *s, const char *name, const char *module);
size_t symbols_count(const struct symbols *s);
const struct symbol *symbols_at(const struct symbols *s, size_t i); /* @i below that, ascending by address */

#endif
