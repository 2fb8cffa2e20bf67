/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/keys.h"
#include "source/questions.h"
#include "source/source.h"

struct facts;
struct refusal;
struct btf_cache;
/*
 * A machine: a source, and the facts read from it. There may be several: one for each file that is compared, or each
 * moment of a recording.
 */
struct machine {
	struct source *src;
	struct arena *arena;	/* lives as long as the machine */
	struct facts *facts;	/* source/facts.h */
	struct btf_cache *btfs; /* types/btf.h; NULL until needed */
	const char *host;	/* one of several (cli/fleet.h): its name; NULL: the only one */
	uint64_t saved_at; /* one of several: when it was saved, with --at that moment, in seconds since the epoch; 0:
			    * unknown
			    */
	uint64_t at_ns;	   /* with --at: that moment, in nanoseconds since boot; 0: no moment */
	struct refusal *refused, **refused_end; /* in the order noted */
};

/* Takes @src. */
struct machine *machine_new(struct source *src);
void machine_free(struct machine **m);
/*
 * The machine as it is now: a new one with the source of @m, and no facts. @m keeps what was read from it, and is not
 * asked again. For a command that reads a running machine again and again.
 */
struct machine *machine_again(struct machine *m);
/*
 * From now on each question is asked once (source/once.h): for a command that reads the same objects several times and
 * changes none.
 */
void machine_once(struct machine *m);

/*
 * Asks a question. 0 and *ret, valid as long as the arena (or static); or -errno, and *ret is unchanged:
 *   ask(m, a, &b, Q_PROG_MAP_IDS, id)   ask(m, a, &b, Q_MAP_ELEMS, id, .text = cursor)
 *
 * A refusal is noted in the machine. At its end, the command reports what is missing and why, with exit status 5: so
 * a reader may go on without the answer. -ENOENT of an object, file or namespace that has gone is noted only for a
 * machine that does not change (an archive).
 */
#define ask(m, a, ret, ...) machine_ask(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
	__attribute__((warn_unused_result));
/*
 * The same without a note: for a caller that returns the error to its own caller, or has another source of the fact.
 * What is missing in the end must be noted by machine_error().
 */
#define ask_silently(m, a, ret, ...) machine_ask_silently(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask_silently(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
	__attribute__((warn_unused_result));

/*
 * For answers that are lines, as a string that the caller may change, in the arena; -EBADMSG, noted: the last line is
 * truncated, or there is a NUL in a line.
 */
#define ask_text(m, a, ret, ...) machine_ask_text(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask_text(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
	__attribute__((warn_unused_result));
#define ask_lines(m, a, ret, ...) machine_ask_lines(m, a, ret, &(const struct asked){ __VA_ARGS__ })
int machine_ask_lines(struct machine *m, struct arena *a, char **ret, const struct asked *q)
	__attribute__((warn_unused_result));

/* Notes a missing answer: refused (-errno), or malformed (-EBADMSG). Returns @why. */
#define note_refused(m, why, ...) machine_error(m, why, &(const struct asked){ __VA_ARGS__ })
int machine_error(struct machine *m, int why, const struct asked *q);
/*
 * Notes that a process of the answer could not be read, @why. Without the permission (-EACCES, -EPERM) that is not a
 * refusal but a gap (struct refusal.unseen): somebody else's process may hold more. Returns @why.
 */
#define note_unseen(m, why, ...) machine_unseen(m, why, &(const struct asked){ __VA_ARGS__ })
int machine_unseen(struct machine *m, int why, const struct asked *q);
/* Forgets the refusals: the answers were not needed for the output of this command. */
void machine_forget(struct machine *m);
/* The same of those noted since @mark, which was m->refused_end. */
void machine_forget_since(struct machine *m, struct refusal **mark);
/* Does its memory, what maps hold, have the most significant byte first? (source/file/swap.h) */
bool machine_is_big(const struct machine *m);
/* Is it an archive, which does not change, so that what is listed exists? */
bool machine_is_saved(const struct machine *m);
/* The number of answers refused so far: if it has grown, what was read meanwhile is incomplete. */
size_t machine_refusals(const struct machine *m);
size_t machine_unseens(const struct machine *m); /* those that are only gaps (struct refusal.unseen) */

/* Refusals of one question for one reason, counted together. */
struct refusal {
	struct refusal *next;
	struct asked first; /* its text is in the machine's arena */
	int why;	    /* -errno */
	bool unseen;	    /* only processes that may not be read are missing: machine_unseen() */
	size_t n;	    /* number of different questions */
	struct keys asked;  /* the questions */
};
