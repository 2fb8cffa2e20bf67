/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_PLAN_H
#define BTF_VALUE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "btf/value/format.h"
#include "btf/value/value.h"

/*
 * A type, compiled: plan.c writes the steps, value.c and value_read.c run them. Offsets are bytes from the beginning of
 * the value, or of the element inside a list. A step's whole extent [off, off + size) lies inside what encloses it,
 * lists included, so the number of steps run for one value is bounded by its bytes times PLAN_STEPS.
 */
#define PLAN_STEPS 65536u
#define PLAN_DEPTH 32u

enum step_op {
	STEP_S8,
	STEP_S16,
	STEP_S32,
	STEP_S64,
	STEP_U8,
	STEP_U16,
	STEP_U32,
	STEP_U64,
	STEP_INT_LAST = STEP_U64,
	/* Brackets: STEP_END stands at end - 1. STEP_ARRAY is the array of a DATASEC. */
	STEP_OBJECT,
	STEP_ARRAY,
	STEP_END,
	STEP_LIST,  /* n elements of stride bytes: the steps up to end for each */
	STEP_TEXT,  /* n chars: as text if they are text, then go on at end; else the list that follows */
	STEP_EMPTY, /* [] */
	STEP_NULL,
	STEP_CHAR,
	STEP_BOOL,
	STEP_PTR,
	STEP_BITS, /* bits of size bytes (up to 17) from bit shift on, as hex; of an enum: words as below */
	STEP_ENUM, /* of size 1, 2, 4 or 8; words[0..n) sorted by value, the first of equal ones is printed */
	STEP_FLOAT,
	STEP_DOUBLE,
	STEP_FUNC,   /* pointer to a function: words[0] is its prototype, not quoted */
	STEP_FORMAT, /* size bytes as format says; without it the step would be of op plain */
};

enum step_flags {
	STEP_SIGNED = 1 << 0, /* STEP_BITS; STEP_ENUM: a value without a word */
	STEP_UNION = 1 << 1,  /* STEP_OBJECT: its members overlap */
	STEP_KERNEL = 1 << 2, /* STEP_OBJECT: a lock or timer, which user space cannot write */
	STEP_BIG = 1 << 3,    /* numbers begin with their most significant byte */
};

struct step_word {
	int64_t value;
	const char *text;
	uint32_t len;
}; /* text: quoted and escaped */

struct step {
	uint8_t op, flags; /* flags: enum step_flags */
	union {
		struct {
			uint8_t bits, shift;
		};
		struct {
			uint8_t format, plain;
		}; /* enum format, enum step_op */
	};
	uint32_t name_len; /* 0: no name (list element, top) */
	const char *name;  /* quoted and escaped; "\"\"" for an anonymous member */
	uint64_t off, size;
	uint32_t n, end;
	union {
		uint64_t stride;
		const struct step_word *words;
	};
};

struct value_plan {
	enum value_form form;
	uint32_t n;
	const struct step *step;
	struct machine *machine;	 /* where STEP_FORMAT finds names; may be NULL */
	const struct value_funcs *funcs; /* STEP_FUNC */
};

static inline bool step_has_members(const struct step *s)
{
	return s->op == STEP_OBJECT || s->op == STEP_ARRAY;
}

/* What it is without its format. */
static inline enum step_op step_op(const struct step *s)
{
	return (enum step_op)(s->op == STEP_FORMAT ? s->plain : s->op);
}

/* The step behind this one and all that is inside of it. */
static inline uint32_t step_next(const struct value_plan *p, uint32_t i)
{
	return p->step[i].end ? p->step[i].end : i + 1;
}

/* Step @i and all inside of it as a plan of its own, without its name; offsets are what they were. In the arena. */
struct value_plan *plan_part(const struct value_plan *p, uint32_t i, struct arena *a);
/* Step @i, or of a list of what fits each element, gets a format. false: it fits neither. */
bool step_format(struct step *step, uint32_t i, enum format f);

#endif
