/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_READER_H
#define BTF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include "base/jsonr.h"
#include "btf/value/plan.h"

struct err;
/*
 * A value being read: value_read.c follows the brackets, scalar_read.c writes what stands between them.
 *
 * All members of a union are printed, and some say less than all about the bytes they share: text ends at its NUL, true
 * is any number but 0. So inside a union the bits that were told are remembered; who contradicts them is refused. What
 * says only a little (open) gets its turn in a second pass, when everything else is known.
 */
struct reader {
	const struct value_plan *plan;
	struct jsonr *r;
	struct err *e;
	unsigned char *bytes;
	size_t n;
	unsigned char *known;	  /* n bytes of bits; NULL: not inside a union */
	unsigned char *known_mem; /* owned; NULL: no union yet */
	bool open, second;
	bool located;	/* the sentence in e names its place already */
	char path[160]; /* of the failure, from the innermost member outwards */
};

/* @t is the first token of what is to be read, p + s->off inside the bytes. 0 or -EINVAL with a sentence without the
 * path. */
int scalar_read(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p);
/* rd->r's last string. */
int text_read(struct reader *rd, const struct step *s, unsigned char *p);
/* The same token as the text of a STEP_FORMAT; -ENOENT: it is none, and may be what the step is without it. */
int format_put(struct reader *rd, const struct step *s, enum jsonr_token t, unsigned char *p);
/* The last string as an IPv4, IPv6 or MAC address, where nothing but an address is text; -ENOENT: it is none. */
int address_put(struct reader *rd, uint32_t i, unsigned char *p);
/* What was expected instead of @t: "a list". */
int shape_error(struct reader *rd, enum jsonr_token t, const char *wanted);

#endif
