/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

/* Up to five names that resemble a word that nothing is called by, the nearest first: what fingers may have meant. */
#define NEAR_MAX 5
struct near {
	const char *name[NEAR_MAX];
	unsigned slips[NEAR_MAX];
	size_t n;
};

/* One or two slips away, a part of the name, or begun by a name of half its length at least. */
bool near_is(const char *word, const char *name);
/* Keeps a name (not a copy) if it is near the word and not there yet. */
void near_offer(struct near *s, const char *word, const char *name);

struct str;
/* Appends "a, b, c". */
void near_list(const struct near *s, struct str *ret);

#endif
