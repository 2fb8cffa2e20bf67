/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_HOT_H
#define PROG_HOT_H

#include <stddef.h>
#include <stdint.h>

#include "prog/code_info.h"
#include "record/field.h"

struct doc;
/* Where a program has samples: instructions, and lines of source. */
struct hot_spot {
	uint64_t samples;
	double percent;		   /* of the program's */
	const char *func, *disasm; /* of an instruction; disasm NULL: not known */
	uint64_t pc,
		at; /* bytes from the start of its function, of the whole image; of BPF instructions their number */
	struct source_line line; /* text NULL: none */
};
struct hot {
	struct hot_spot *v;
	size_t n, cap;
};
void hot_add(struct hot *h, struct hot_spot spot);
void hot_release(struct hot *h);
void hot_sort(struct hot *h); /* most samples first, equal ones by place */
/* One spot for each line of source, where it begins; those without one are left out. @all: samples of the program. */
void hot_fold(struct hot *h, uint64_t all);
size_t hot_shown(const struct hot *h); /* how many of them stand above the code */
/* Those as a list, sorted; @head: text above them, unless there are none. */
void hot_write(struct hot *h, const struct schema *schema, const char *name, const char *head, struct doc *d);
extern const struct schema hot_line_schema, hot_insn_schema;

#endif
