/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_MACHINE_H
#define SOURCE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/object.h"
#include "source/keys.h"
#include "source/questions.h"
#include "source/source.h"

struct arena;
struct err;
struct facts;
struct btf_cache;
/*
 * A machine: a source, and what was learned from it. There may be several, one for each file that is compared or each
 * moment of a recording.
 */
enum { MEMO_PROG_JOINS = OBJECT_KINDS, MEMO_MAP_JOINS, MEMOS }; /* those below are the kinds' */
struct machine {
	struct source *src;
	struct arena *arena;	/* lives as long as the machine */
	struct facts *facts;	/* source/facts.h */
	struct btf_cache *btfs; /* btf/btf.h; NULL until somebody asks */
	const char *host;	/* of many (cli/fleet.h): its name; NULL: the only one */
	uint64_t saved_at; /* of many when it was saved, with --at that moment, in seconds since the epoch; 0: not known
			    */
	void *memo[MEMOS]; /* what a reader remembers for one command, in its keep; only that reader's business */
	struct refusal *refused, **refused_end; /* in the order in which they came */
};

/* Takes @src. */
struct machine *machine_new(struct source *src);
void machine_free(struct machine **m);
/*
 * From now on each question is asked once (source/once.h): for a command that goes over the same objects several times
 * and changes none.
 */
void machine_once(struct machine *m);

/*
 * Ask. 0 and *ret, valid as long as the arena (or static); or -errno, and *ret is not touched:
 *   ask(m, a, &b, Q_PROG_MAP_IDS, id)   ask(m, a, &b, Q_MAP_ELEMS, id, .text = cursor)
 *
 * A refusal is noted in the machine, and the command that met it ends by saying what is missing and why, with exit
 * status 5. So nothing is lost where a reader goes on without the answer. -ENOENT of an object, file or namespace that
 * is not there any more is noted only for a machine that does not change (an archive).
 */
#define ask(m, a, ret, ...) machine_ask(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
	__attribute__((warn_unused_result));
/*
 * The same, not noted: for who hands the failure to its own caller, or has another source; what is missing in the end
 * is then for machine_refused().
 */
#define ask_silently(m, a, ret, ...) machine_ask_silently(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask_silently(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
	__attribute__((warn_unused_result));

/* For answers that are lines; -EBADMSG, noted: the last one has no end. As a string: of the caller's own, in the arena.
 */
#define ask_text(m, a, ret, ...) machine_ask_text(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask_text(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
	__attribute__((warn_unused_result));
#define ask_lines(m, a, ret, ...) machine_ask_lines(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask_lines(struct machine *m, struct arena *a, char **ret, const struct asked *q)
	__attribute__((warn_unused_result));

/* An answer that is missing: refused (-errno), or not what it should be (-EBADMSG). Returns @why. */
#define note_refused(m, why, ...) machine_refused(m, why, &(const struct asked){ __VA_ARGS__ })
int machine_refused(struct machine *m, int why, const struct asked *q);
/* Forget the refusals: what was asked was not for the reader of this command's answer. */
void machine_forget(struct machine *m);
/* Does its memory, what maps hold, have the most significant byte first? (source/swap.h) */
bool machine_is_big(const struct machine *m);
/* Does it stay as it is (an archive), so that what is listed is there? */
bool machine_is_saved(const struct machine *m);
/* How many answers were refused so far: more than before, and what was read in between is not all there is. */
size_t machine_refusals(const struct machine *m);

/* Refusals of one question for one reason, folded. */
struct refusal {
	struct refusal *next;
	struct asked first; /* its text is in the machine's arena */
	int why;	    /* -errno */
	size_t n;	    /* different questions */
	struct keys asked;  /* these */
};

#endif
