/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct machine;
/*
 * The answer to Q_FEATURES (format: own/probe/probe.h), by the kernel's numbers. A reason is 0: available; an errno:
 * why it is not; -1: not tried.
 */
#define FEATURE_TYPES 256
#define FEATURE_WAYS 64
struct feature_answer {
	int call; /* reason of bpf(2) itself */
	int prog[FEATURE_TYPES], map[FEATURE_TYPES];
	const char *helpers[FEATURE_TYPES]; /* ids, separated by blanks, or "?"; NULL: none */
	const char *kfuncs[FEATURE_TYPES];  /* names, separated by blanks; NULL: none */
	struct {
		uint32_t prog, attach;
		int why;
	} way[FEATURE_WAYS]; /* program types with an attach type that they are loaded for */
	struct {
		const char *name;
		int why;
	} misc[32];
	uint32_t nways, nmisc;
};
/* @how: FEATURES_*. 0, or -errno if there is no answer, which is noted. Lives in the arena. */
int feature_ask_all(struct machine *m, uint64_t how, uint32_t ifindex, struct arena *a, struct feature_answer **ret);

/*
 * What a reason means. An errno for an unknown, too large or unsupported request is FEATURE_NOT; one for a lack of
 * rights is FEATURE_REFUSED, which holds for this caller only. Other errnos are FEATURE_UNKNOWN.
 */
enum feature_state { FEATURE_HERE, FEATURE_NOT, FEATURE_REFUSED, FEATURE_UNKNOWN };
enum feature_state feature_state(int why);
/* May programs of the type call the helper? */
enum feature_state feature_helper(const struct feature_answer *f, uint32_t prog, uint32_t id);
int feature_way(const struct feature_answer *f, uint32_t prog, uint32_t attach); /* a reason */
int feature_misc(const struct feature_answer *f, const char *name);		 /* a reason */

/* The next word of a line, terminated in place; NULL: there is none. */
char *feature_word(char **p);
/* Can the name be part of the name of a macro? */
bool feature_is_word(const char *s);
