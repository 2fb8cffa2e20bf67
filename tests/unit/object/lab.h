/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "../test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "../types/parsed.h"
#include "base/bytes.h"
#include "object/file.h"
#include "object/read.h"

/* A stored object, to be damaged. */
struct lab {
	struct arena *arena;
	struct str text;
	struct object o;
	struct err e;
};

static inline int setup(void **state)
{
	static struct lab l;

	l = (struct lab){ .arena = arena_new() };
	*state = &l;
	return str_read_file(&l.text, "tests/objects/object.bpf.o", 1 << 20);
}

static inline int teardown(void **state)
{
	struct lab *l = *state;

	arena_free(l->arena);
	str_release(&l->text);
	return 0;
}

static inline int again(struct lab *l, size_t n)
{
	err_clear(&l->e);
	return object_read(&l->o, "dir/some-thing.bpf.o", l->text.p, n, l->arena, &l->e);
}

/* To write to. */
static inline Elf64_Ehdr *header(struct lab *l)
{
	if (BIG_HERE)
		skip_because("the object is little-endian");
	return (Elf64_Ehdr *)(void *)l->text.p;
}

static inline Elf64_Shdr *section(struct lab *l, uint32_t i)
{
	return (Elf64_Shdr *)(void *)(l->text.p + header(l)->e_shoff) + i;
}

/* The symbol with this name, in the undamaged file. */
static inline Elf64_Shdr *named(struct lab *l, const char *name)
{
	assert_int_equal(again(l, l->text.n), 0);
	return section(l, object_section(&l->o, name));
}

static inline Elf64_Sym *symbol(struct lab *l, const char *name)
{
	const Elf64_Shdr *table = named(l, ".symtab");

	for (uint32_t i = 0; i < l->o.elf.nsymbols; i++)
		if (!strcmp(l->o.elf.symbols[i].name, name))
			return (Elf64_Sym *)(void *)(l->text.p + table->sh_offset) + i;
	fail_msg("no symbol %s", name);
	return NULL;
}

static inline void refused(struct lab *l, int code, const char *why)
{
	assert_int_equal(again(l, l->text.n), code);
	if (!strstr(l->e.msg, why) || strncmp(l->e.msg, "dir/some-thing.bpf.o: ", 22))
		fail_msg("'%s' should say '%s'", l->e.msg, why);
}

static inline void accepted(struct lab *l, const char *ignored)
{
	assert_int_equal(again(l, l->text.n), 0);
	if (!l->o.ignored || !strstr(l->o.ignored, ignored))
		fail_msg("'%s' should be in '%s'", ignored, l->o.ignored ? l->o.ignored : "");
}
