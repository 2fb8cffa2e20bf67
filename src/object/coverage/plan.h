/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The counters of a section's code, and where its slots go. The counter of a block, before its first instruction:
 *
 *	*(u64 *)(r10 - frame - 8) = ONE		if `saved`
 *	*(u64 *)(r10 - frame - 16) = ADDRESS	if `saved` is 2
 *	ADDRESS = coverage + 8 * number ll	a relocation names the section
 *	ONE = 1
 *	lock *(u64 *)(ADDRESS + 0) += ONE
 *	and what was saved is loaded again
 */
struct cover_slot {
	uint32_t lead;	      /* its new place: that of the counter before it, if it has one */
	uint16_t frame;	      /* bytes of stack that the function uses itself */
	uint8_t address, one; /* the registers */
	uint8_t saved;
	bool counted;
};
static inline uint32_t slot_more(const struct cover_slot *s)
{
	return s->counted ? 4u + 2u * s->saved : 0;
}
/* The new place of the instruction itself. */
static inline uint32_t slot_own(const struct cover_slot *s)
{
	return s->lead + slot_more(s);
}
/* The new place of the first instruction of the source line that begins there: lines begin with the address. */
static inline uint32_t slot_line(const struct cover_slot *s)
{
	return s->lead + s->saved;
}

/*
 * Choose the counters of a function of @insns slots; @args: by slot, how many arguments a call has. NULL, with their
 * number in *ret_blocks; or, with @slots unchanged, why there are none, as a clause about the function ("its jumps
 * become too long").
 */
const char *cover_plan(const unsigned char *code, size_t insns, const uint8_t *args, struct arena *a,
		       struct cover_slot *slots, uint32_t *ret_blocks);
/* Set where @n slots go, the first at @at. Returns the end. */
uint32_t cover_place(struct cover_slot *slots, size_t n, uint32_t at);
