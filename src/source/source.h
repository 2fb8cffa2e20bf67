/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "source/questions.h"

/*
 * The source of facts. A question is a row of source/questions.h with its parts; an answer is the bytes or the errno
 * that the kernel returned. There are four implementations: the live kernel, an archive, a recorder around another
 * source, and the fake of the tests.
 *
 * Answers are raw on purpose: they are decoded after the source, so an old file benefits from a new decoder, and one
 * set of tests covers both. A refused question (-EPERM, -EINVAL, -ENOENT) is an answer, and is recorded too. Integers
 * are in our byte order; memory of the machine (source/file/swap.h) is in that of the machine.
 */
struct blob {
	const unsigned char *p;
	size_t n;
};

/* Complete lines of text, or empty? A NUL would end the text before its last line. */
bool blob_is_lines(const struct blob *b);

/* Questions that will be asked about each of these objects of one kind. They have an id and no other part. */
#define EXPECTED_QUESTIONS 4
struct expected {
	const uint32_t *ids; /* ascending */
	size_t n;
	const enum question *q;
	size_t nq; /* at most EXPECTED_QUESTIONS */
};

struct source_ops {
	const char *name; /* "live", "archive", "record", "fake" */
	bool saved;	  /* its answers do not change */
	/* 0, or the kernel's -errno, or -ENODATA: this source has no answer. *ret is in the arena or static.
	 */
	int (*get)(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
	void (*idle)(struct source *s); /* may be NULL */
	/* Announces the next questions, in that order; n 0: no more. May be NULL. */
	void (*expect)(struct source *s, const struct expected *x);
	/* source_hold() and source_open(). May be NULL. */
	void (*hold)(struct source *s, enum object_kind kind, uint32_t id, int fd, const char *path);
	int (*open)(struct source *s, enum object_kind kind, uint32_t id, bool write);
	void (*close)(struct source *s);
};
struct source { /* the first member of each implementation */
	const struct source_ops *ops;
	bool swapped;	    /* memory of the machine is in the other byte order */
	const char *traced; /* its name in a trace; NULL: its questions are not traced */
};

/*
 * Asks a source: all questions pass here, except those that a thread asks ahead (source/live/early.h). A source with
 * @traced reports each on standard error: name, result, and the time that the caller waited for it.
 */
int source_ask(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);

/*
 * The live source keeps the last object of each kind open, which keeps it loaded (and a link attached). Asking for ids
 * releases it; call this before waiting for a time or for the user.
 */
void source_idle(struct source *s);
/*
 * The caller has this object open: questions about it are asked through a duplicate of @fd, which needs no right to
 * open objects by id, until source_idle(). Then, if opening it by id is not permitted, it is opened by @path, its pin;
 * NULL: it has none.
 */
void source_hold(struct source *s, enum object_kind kind, uint32_t id, int fd, const char *path);
/*
 * Opens an object of the running kernel, by what is held, its id or its pin: a descriptor of the caller, or -errno.
 * Maps are opened read-only, or with @write read-write. Only for commands that change something.
 */
int source_open(struct source *s, enum object_kind kind, uint32_t id, bool write);
/*
 * Announces questions about a sequence of objects, until source_idle(), or n is 0. Their answers may be slightly older
 * then.
 */
void source_expect(struct source *s, const struct expected *x);
/* After a failed answer: sets a hint if it needs a program of ours and none was loaded. Returns e->code. */
int source_hint(struct err *e);
void source_close(struct source **s);

/*
 * The running kernel. Opens objects read-only where the kernel allows it; changes nothing. @debug: report on standard
 * error how holders were found and which of our programs were loaded. @no_load: load none; what needs them fails with
 * -ECANCELED.
 */
int source_live(struct source **ret, bool debug, bool no_load, struct err *e);
/* The programs of ours that this source has loaded, and may load. */
struct own;
struct own *source_live_own(struct source *s);
/*
 * A file made by `save`; "-" is standard input. Its table of contents is read at once, from the index at its end or by
 * a pass over the file (tar.h): at most ARCHIVE_MAX bytes unpacked, ARCHIVE_OLD_MAX before format 2, ARCHIVE_MEMBERS
 * members of ARCHIVE_ANSWER_MAX, regular files with plain relative names only; otherwise -EBADMSG with a sentence, and
 * -ENOEXEC for a file that is not an archive. An answer is read when it is asked for. If its checksum is wrong it is
 * -EBADMSG; so is a list of ids without a checksum that lacks an object whose info is there. The others can still be
 * read. Data that is too large for memory is kept in a temporary file of at most ARCHIVE_TEMP_MAX.
 */
#define ARCHIVE_MAX (4ull << 30)
#define ARCHIVE_OLD_MAX (256ull << 20) /* a gzip of 1 MB: all of it must be unpacked to find any answer */
#define ARCHIVE_ANSWER_MAX (1ull << 30)
#define ARCHIVE_TEMP_MAX (1ull << 30)
#define ARCHIVE_MEMBERS (1u << 22)
int source_archive(struct source **ret, const char *path, struct err *e);
/* An archive in memory; the bytes must outlive the source. For tests and fuzzers. */
int source_archive_mem(struct source **ret, const void *p, size_t n, struct err *e);
/*
 * True for a truncated archive, because its writer was killed or the file was cut: it has the first @answers. The
 * others are -ENODATA.
 */
bool source_archive_cut(const struct source *s, uint64_t *answers);
/*
 * Asks @inner, passes its answers on, and writes each first answer to the archive @path: mode 0600. Until
 * source_record_finish() the file is PATH.partial (base/newfile.h), which has everything that was answered up to the
 * last second or 256 KiB, and is an archive at each moment; a signal that ends the program removes it, SIGKILL leaves
 * it; the next writer renames it and prints a note. Closing without finish leaves no file. "-" is standard output.
 * Takes @inner on success. @note: lines for the member "meta" (what was left out).
 */
int source_record(struct source **ret, struct source *inner, const char *path, const char *note, struct err *e);
/* From now on PATH.partial stays, however the recording ends. */
void source_record_keep(struct source *s);
/* 0, or -errno with a message if something could not be written; then nothing is written any more. */
int source_record_failed(const struct source *s, struct err *e);
/*
 * Writes @p as the answer to @q, in place of an earlier one: a list without the objects that have gone meanwhile. Later
 * answers are ignored.
 */
void source_record_again(struct source *s, const struct asked *q, const void *p, size_t n);
/*
 * The present answer of the inner source: not written, or written in place of an earlier answer, unless it is a
 * refusal. Signals do not end the recording here.
 */
int source_record_peek(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
int source_record_renew(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
/* @bytes wait to be written: the more, the lower the compression of what follows. */
void source_record_waiting(struct source *s, uint64_t bytes);
int source_record_finish(struct source *s, struct err *e);
/*
 * @call, if not NULL, is called before each question and before the file is finished, for other work of the caller. If
 * it returns false, signals do not end the recording.
 */
void source_record_between(struct source *s, bool (*call)(void *ctx), void *ctx);
uint64_t source_record_size(const struct source *s); /* present size of the file in bytes */
/* As source_close(), but the inner source stays open and is returned. */
struct source *source_record_inner(struct source **s);
/* Has it been asked, so that its answer is in the file? */
bool source_record_has(struct source *s, const struct asked *q);
