/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FEATURE_ANSWER_H
#define FEATURE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct arena;
/*
 * What a machine answers when it is asked what it can do (Q_FEATURES; own/probe.h says in which words), by the kernel's
 * numbers. A reason is 0: it is there; an errno: why not; -1: it was not tried.
 */
#define FEATURE_TYPES 256
#define FEATURE_WAYS 64
struct feature_answer {
	int call; /* bpf(2) itself */
	int prog[FEATURE_TYPES], map[FEATURE_TYPES];
	const char *helpers[FEATURE_TYPES]; /* ids, with blanks between, or "?"; NULL: none */
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
/* @how: FEATURES_*. 0 or why the machine does not say, which is noted. Lives in the arena. */
int feature_ask_all(struct machine *m, uint64_t how, uint32_t ifindex, struct arena *a, struct feature_answer **ret);

/*
 * What a reason means. That the kernel does not know it, has no room for it or cannot do it is an answer: NOT. A
 * refusal is one for whoever asked. The rest says nothing.
 */
enum feature_state { FEATURE_HERE, FEATURE_NOT, FEATURE_REFUSED, FEATURE_UNKNOWN };
enum feature_state feature_state(int why);
/* May programs of the type call the helper? */
enum feature_state feature_helper(const struct feature_answer *f, uint32_t prog, uint32_t id);
int feature_way(const struct feature_answer *f, uint32_t prog, uint32_t attach); /* a reason */
int feature_misc(const struct feature_answer *f, const char *name);		 /* a reason */

#endif
