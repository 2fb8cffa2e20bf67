/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in args.c, code.c, lines.c and tables.c. */

#include "code/insn.h"
#include "object/coverage/coverage.h"
#include "object/coverage/plan.h"
#include "object/file.h"

/*
 * Inside the folder: an object that gets counters. Its new sections are made from the old ones, and point to these
 * where nothing changed.
 */
struct cover {
	const struct object *o;
	const char *section; /* of the counters */
	struct arena *arena;
	struct cover_slot **slots; /* by section: a slot for each instruction, and one for its end; NULL: it stays */
	uint32_t counters;
	struct elf_sect *sects; /* o->elf.nsects, then the counters, then new tables of relocations */
	uint32_t nsects;
	const uint64_t **uses; /* by section: offsets of the instructions with addresses of counters, in the new code */
	uint32_t *nuses;
	bool too_long;		       /* a jump between functions is, after the move */
	uint32_t symtab, first_global; /* index of the section; number of its first symbol that is not local */
};

static inline size_t cover_insns(const struct cover *c, uint32_t section)
{
	return c->o->elf.sects[section].size / INSN_SIZE;
}
/* Where offset @off of a section goes, if it is moved code. @where: which of the places. */
typedef uint32_t slot_place(const struct cover_slot *s);
uint64_t cover_moved(const struct cover *c, uint32_t section, uint64_t off, slot_place *where);
uint32_t slot_lead(const struct cover_slot *s);

/* By slot of a function: how many arguments a call has, at most. */
uint8_t *cover_args(const struct object *o, const struct object_func *f, struct arena *a);
/* The new code of a section, with its counters from *number on, which is advanced. */
void cover_code(struct cover *c, uint32_t section, uint32_t *number);
/*
 * Give each counter a line in .BTF.ext, section @ext, which has lines, and whose copy has moved records: a block that
 * begins within a line gets one without number. The kernel would let it begin with the last line of the code before it,
 * if that is removed.
 */
void cover_lines(struct cover *c, uint32_t ext);
/* Symbols, relocations, .BTF and .BTF.ext. 0 or -errno. */
int cover_tables(struct cover *c, struct err *e);
