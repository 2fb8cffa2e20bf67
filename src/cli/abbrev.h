/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ABBREV_H
#define CLI_ABBREV_H

#include <stdbool.h>
#include <stddef.h>

struct err;
/*
 * Abbreviated words. An exact match wins; else the first word of bpftool's that the typed one begins; else ours, if
 * there is only one. A single letter never means one of ours: it may mean a word of bpftool's that is not here yet, and
 * a script that says `s` for struct_ops must not save. Words that begin with "__" are never abbreviated.
 */
struct word {
	const char *name;
	bool ours;
};

/* Index in @words; -EINVAL with a sentence (@what: "command") that lists the candidates, or the nearest word. */
int abbrev_pick(const struct word *words, size_t n, const char *typed, const char *what, struct err *e);
/* The word that a slip of the fingers may have meant; NULL: none is near. */
const char *abbrev_nearest(const struct word *words, size_t n, const char *typed);

#endif
