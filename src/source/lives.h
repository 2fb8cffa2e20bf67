/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_LIVES_H
#define SOURCE_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct arena;
struct blob;
struct str;
struct err;
struct source;
/* What a recording knows of a program: when it lived, and who loaded it. */
enum life_how { LIFE_BEFORE, LIFE_COPIED, LIFE_ASKED, LIFE_MISSED, LIFE_HOWS };
struct life {
	uint32_t id;
	uint64_t loaded;   /* ns since boot; 0: not known */
	bool gone;	   /* before the recording ended */
	bool open;	   /* not gone when it broke off: what came then is not known */
	uint64_t gone_at;  /* ns since boot; 0: not known, or not gone */
	bool has_loader;   /* the next three are known */
	uint32_t pid, uid; /* as the first namespaces have them */
	const char *comm;  /* of the thread that loaded it */
	/*
	 * Its answers were there when the recording began; are the copy that was made while it was loaded; were asked
	 * for afterwards; are missing.
	 */
	enum life_how how;
	const char *missing; /* words divided by commas: what its answers lack; NULL: nothing */
};
struct lives {
	uint64_t from, to; /* of the recording, ns since boot; to 0: it did not end well */
	struct life *life; /* ascending by id */
	size_t n;
};

/* The answer to sys/lives: a line for the recording, one for each program. lives_put() appends one, from it
 * lives_parse() reads. */
void lives_put_head(struct str *ret, uint64_t from, uint64_t to);
void lives_put(struct str *ret, const struct life *l);
/* 0; -EBADMSG: a line that cannot be understood. In the arena. */
int lives_parse(struct lives *ret, const struct blob *b, struct arena *a);
const struct life *lives_find(const struct lives *l, uint32_t id); /* NULL: no such */
/* Did it live then? True where that is not known. */
bool life_was_at(const struct life *l, uint64_t time);

/* Of a machine that is a recording; NULL: it is none, or knows no such program. */
const struct lives *facts_lives(struct machine *m);
const struct life *facts_life(struct machine *m, uint32_t prog);

/*
 * A recording at a moment: lists of programs have those only that lived then. @when: "1.5", seconds from its beginning,
 * or a time of day, "2026-11-21T09:30:00.5Z". Takes @inner on success; -EINVAL with a sentence: no recording, or no
 * such moment.
 */
int source_at(struct source **ret, struct source *inner, const char *when, struct err *e);
uint64_t source_at_ns(const struct source *at); /* that moment, in nanoseconds since boot */

#endif
