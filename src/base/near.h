/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Up to five names that resemble an unknown word, the most similar first. */
#define NEAR_MAX 5
struct near {
	const char *name[NEAR_MAX];
	unsigned slips[NEAR_MAX];
	size_t n;
};

/* One or two typing errors away, containing the word, or a prefix of it of at least half its length. */
bool near_is(const char *word, const char *name);
/* Add a name (not copied) if it resembles the word and is not in the list. */
void near_offer(struct near *s, const char *word, const char *name);

/* Appends "a, b, c". */
void near_list(const struct near *s, struct str *ret);

/* Sets the hint "similar: a, b, c" of an error, if there is a name. Returns e->code. */
int near_hint(const struct near *s, struct err *e);
