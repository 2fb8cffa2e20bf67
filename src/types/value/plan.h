/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in member.c. */

#include "types/value/format.h"
#include "types/value/value.h"

/*
 * A compiled type: plan.c writes the steps, value.c and value_read.c run them. Offsets are bytes from the beginning of
 * the value, or of the element in an array. The whole extent of a step, [off, off + size), is inside its container,
 * also in arrays, so the number of steps run for one value is limited by its bytes times PLAN_STEPS.
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
	/* Brackets: STEP_END is at end - 1. STEP_ARRAY is the array of a DATASEC. */
	STEP_OBJECT,
	STEP_ARRAY,
	STEP_END,
	STEP_LIST,  /* n elements of stride bytes: the steps up to end are run for each */
	STEP_TEXT,  /* n characters: as text if they are text, then continue at end; else as the array that follows */
	STEP_EMPTY, /* [] */
	STEP_NULL,
	STEP_CHAR,
	STEP_BOOL,
	STEP_PTR,
	STEP_BITS, /* bits of size bytes (up to 17) from bit shift on, as hex or STEP_OWN; of an enum: words as below */
	STEP_ENUM, /* of size 1, 2, 4 or 8; words[0..n) sorted by value, the first of equal ones is printed */
	STEP_FLOAT,
	STEP_DOUBLE,
	STEP_FUNC,   /* pointer to a function: words[0] is its prototype, not quoted */
	STEP_FORMAT, /* size bytes in a format; without it the step would have op plain */
};

enum step_flags {
	STEP_SIGNED = 1 << 0, /* STEP_BITS; STEP_ENUM: values without a name */
	STEP_UNION = 1 << 1,  /* STEP_OBJECT: its members overlap */
	STEP_KERNEL = 1 << 2, /* STEP_OBJECT: a lock or timer, which user space cannot write */
	STEP_BIG = 1 << 3,    /* numbers begin with the most significant byte */
	/*
	 * STEP_FORMAT: the name of the type implies the format. In JSON objects and arrays, numbers are in the byte
	 * order of memory, and numbers in the format are text: "443".
	 */
	STEP_IMPLIED = 1 << 4,
	STEP_OWN = 1 << 5, /* STEP_BITS of up to 64 bits: as a number with its sign or a name of the enum, not as hex */
};

struct step_word {
	int64_t value;
	const char *text; /* quoted and escaped */
	uint32_t len;
};

struct step {
	uint8_t op, flags; /* flags: enum step_flags */
	union {
		struct {
			uint8_t bits, shift;
		};
		struct {
			uint8_t format, plain;
		}; /* enum format, enum step_op; of others than STEP_BITS: the format that the name implies */
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
	struct machine *machine;	 /* names for STEP_FORMAT; may be NULL */
	const struct value_funcs *funcs; /* STEP_FUNC */
};

static inline bool step_has_members(const struct step *s)
{
	return s->op == STEP_OBJECT || s->op == STEP_ARRAY;
}

/* The op without the format. */
static inline enum step_op step_op(const struct step *s)
{
	return (enum step_op)(s->op == STEP_FORMAT ? s->plain : s->op);
}

/* The step after this one and all steps inside it. */
static inline uint32_t step_next(const struct value_plan *p, uint32_t i)
{
	return p->step[i].end ? p->step[i].end : i + 1;
}

/* A plan of step @i and all steps inside it, without its name; offsets do not change. In the arena. */
struct value_plan *plan_part(const struct value_plan *p, uint32_t i, struct arena *a);
/* Gives a format to step @i, or to each element of an array if the array does not fit. False: neither fits. */
bool step_format(struct step *step, uint32_t i, enum format f);
