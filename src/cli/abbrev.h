/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Abbreviated words. An exact match wins; else the first of bpftool's words that begins with what was typed; else our
 * only word that does. A single letter never abbreviates one of ours: it may abbreviate a newer word of bpftool's, and
 * a script that uses `s` for struct_ops must not run `save`. Words that begin with "__" are never abbreviated.
 */
struct word {
	const char *name;
	bool ours;
};

/* Returns the index in @words, or -EINVAL with a sentence that lists the candidates or the most similar word. @what:
 * "command". */
int abbrev_pick(const struct word *words, size_t n, const char *typed, const char *what, struct err *e);
/* The most similar word, after a typing error; NULL: none is similar. */
const char *abbrev_nearest(const struct word *words, size_t n, const char *typed);
