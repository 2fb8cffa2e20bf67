/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "source/questions.h"

struct arena;
struct err;
struct asked;
/*
 * Where facts come from. A question is a row of source/questions.h with its parts, an answer is bytes or -errno,
 * exactly as the kernel gave them. Four implementations: the live kernel, an archive, a recorder around another source,
 * and the fake of the tests.
 *
 * Answers are raw on purpose: decoding happens after the source, so an old file profits from a new decoder and one set
 * of tests covers both. A refused question (-EPERM, -EINVAL, -ENOENT) is an answer and is recorded too. Integers are in
 * our byte order; what is memory of the machine (source/swap.h) is in that of the machine.
 */
struct blob {
	const unsigned char *p;
	size_t n;
};

/* The same questions about each of these objects, of one kind: they have an id and no other part. */
#define EXPECTED_QUESTIONS 4
struct expected {
	const uint32_t *ids; /* ascending */
	size_t n;
	const enum question *q;
	size_t nq; /* at most EXPECTED_QUESTIONS */
};

struct source;
struct source_ops {
	const char *name; /* "live", "archive", "record", "fake" */
	bool saved;	  /* answers do not change */
	/* 0, or -errno as the kernel gave it, or -ENODATA: this source does not know. *ret is in the arena or static.
	 */
	int (*get)(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
	void (*idle)(struct source *s); /* may be NULL */
	/* What will be asked soon, in that order; n 0: nothing any more. May be NULL. */
	void (*expect)(struct source *s, const struct expected *x);
	void (*close)(struct source *s);
};
struct source { /* first member of each implementation */
	const struct source_ops *ops;
	bool swapped; /* memory of the machine is in the other byte order */
};

/*
 * The live source keeps the last object of each kind open, which keeps it alive (and a link attached). Asking for ids
 * drops it; call this before waiting for time or the user.
 */
void source_idle(struct source *s);
/* Objects will be asked about one after the other; until source_idle(), or n is 0. Their answers may then be older by a
 * moment. */
void source_expect(struct source *s, const struct expected *x);
/* After an answer that failed: what to do if only a program of ours could read it, and none was loaded. Returns
 * e->code. */
int source_hint(struct err *e);
void source_close(struct source **s);

/*
 * The running kernel. Opens objects read-only where the kernel allows; changes nothing. @debug: say on standard error
 * how holders were found and which programs of ours were loaded. @no_load: load none; what only they can read fails
 * with -ECANCELED.
 */
int source_live(struct source **ret, bool debug, bool no_load, struct err *e);
/* What the running kernel's source has loaded of our own, and may load. */
struct own;
struct own *source_live_own(struct source *s);
/*
 * A file made by `save`; "-" is standard input. Which answers it has is read at once, from the index at its end or by
 * one pass (tar.h): at most ARCHIVE_MAX bytes unpacked, ARCHIVE_MEMBERS members of ARCHIVE_ANSWER_MAX, regular files
 * with plain relative names only; -EBADMSG with a sentence otherwise, -ENOEXEC for a file that is not an archive.
 * An answer is read when it is asked for. One whose checksum is wrong is
 * -EBADMSG, and so is a list of ids without a checksum that lacks an object whose info is there; the others can still
 * be read. What is too large for memory is kept in a temporary file of at most ARCHIVE_TEMP_MAX.
 */
#define ARCHIVE_MAX (4ull << 30)
#define ARCHIVE_ANSWER_MAX (1ull << 30)
#define ARCHIVE_TEMP_MAX (1ull << 30)
#define ARCHIVE_MEMBERS (1u << 22)
int source_archive(struct source **ret, const char *path, struct err *e);
/* The same from memory; the bytes must outlive the source. For tests and fuzzers. */
int source_archive_mem(struct source **ret, const void *p, size_t n, struct err *e);
/*
 * True for an archive that ends too early, because its writer was killed or the file was cut: it has the first
 * @answers. The others are -ENODATA.
 */
bool source_archive_cut(const struct source *s, uint64_t *answers);
/*
 * Asks @inner, passes its answers on, and writes each first answer to the archive @path: mode 0600. Until
 * source_record_finish() the file is PATH.partial (base/newfile.h), which has everything that was answered up to the
 * last second or 256 KiB, and is an archive at each moment; a signal that ends the program removes it, SIGKILL leaves
 * it. Closing without finish leaves no file. "-" is standard output. Takes @inner on success. @note: lines for the
 * member "meta" (what was left out).
 */
int source_record(struct source **ret, struct source *inner, const char *path, const char *note, struct err *e);
/* Writes @p as the answer to @q, in place of one that may be there: a list without what has gone meanwhile. No later
 * one counts. */
void source_record_again(struct source *s, const struct asked *q, const void *p, size_t n);
/*
 * What the inner source says now: not written, or written in place of an earlier answer, unless it is a refusal. No
 * signal ends the recording here.
 */
int source_record_peek(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
int source_record_renew(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
/* So many bytes wait to be written: the more, the less what comes from now on is compressed. */
void source_record_waiting(struct source *s, uint64_t bytes);
int source_record_finish(struct source *s, struct err *e);
/*
 * @call, if not NULL, is called before each question, and before the file is finished: for who has something else to
 * look after. False: signals are among that, and do not end the recording.
 */
void source_record_between(struct source *s, bool (*call)(void *ctx), void *ctx);
uint64_t source_record_size(const struct source *s); /* bytes of the file up to now */
/* As source_close(), but the inner source, which is returned, stays open. */
struct source *source_record_inner(struct source **s);
/* Was it asked already, and so is in the file? */
bool source_record_has(struct source *s, const struct asked *q);

#endif
