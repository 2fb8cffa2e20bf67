/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/json/jsonr.h"
#include "types/value/plan.h"

/*
 * A value that is being read: value_read.c follows the brackets, scalar_read.c writes the values between them.
 *
 * All members of a union are printed, and some do not define all their bytes: text ends at its NUL, true is any number
 * except 0. So in a union the bits that were read are remembered, and members that contradict them are refused. Members
 * that define only some bits (open) are read in a second pass, when all others are known.
 */
struct reader {
	const struct value_plan *plan;
	struct jsonr *r;
	struct err *e;
	unsigned char *bytes;
	size_t n;
	unsigned char *known;	  /* n bytes, bits set where known; NULL: not in a union */
	unsigned char *known_mem; /* owned; NULL: no union yet */
	bool open, second;
	bool located;	/* the message in e already names the position */
	char path[160]; /* of the failure, built from the innermost member outwards */
};

/*
 * @t is the first token to read; the value is at p + s->off in the bytes. 0, or -EINVAL with a message without the
 * path.
 */
int scalar_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p);
/* Reads the last string of rd->r. */
int text_read(struct reader *rd, const struct step *s, unsigned char *p);
/*
 * Reads the same token as the text of a STEP_FORMAT; -ENOENT: it is not such a text, but may be a value of the step
 * without its format.
 */
int format_put(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p);
/*
 * Reads the last string as an IPv4, IPv6 or MAC address, where other text is not possible; -ENOENT: it is not an
 * address.
 */
int address_put(struct reader *rd, uint32_t i, unsigned char *p);
