/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/* Types of two sources, matched by kind and name: those that only one source has, and those that differ. */
enum diff_change { DIFF_REMOVED, DIFF_ADDED, DIFF_CHANGED };

struct diff_side {
	const char *text;      /* a member's type; an enumerator's value */
	uint64_t offset, bits; /* both in bits */
	bool is_value;	       /* of an enumerator, which has neither */
};
struct diff_part {
	const char *name; /* path of the member, or enumerator */
	enum diff_change change;
	struct diff_side old, new;
	uint8_t has_old, has_new; /* enum avail */
};
struct diff_type {
	enum diff_change change;
	const char *kind, *name;
	uint32_t old_id, new_id, nparts;
	uint64_t old_size, new_size;
	const char *old_text, *new_text; /* of typedefs and functions; NULL: not in this source, or of another kind */
	const struct diff_part *parts;	 /* only for changed types */
	uint8_t has_old, has_new;	 /* enum avail */
};

struct diff;
struct diff *diff_begin(const struct btf_types *a, const struct btf_types *b, struct arena *keep);
/* The next difference, ordered by kind and name, valid until the next call; false: no more. */
int diff_next(struct diff *d, struct diff_type *ret);
/* Do two types differ, which may have no names? *ret as above, without kind and name. */
bool diff_pair(struct diff *d, uint32_t old_id, uint32_t new_id, struct diff_type *ret);
