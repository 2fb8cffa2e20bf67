/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

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

/* As a string, up to a NUL. */
static inline char *blob_text(struct arena *a, const struct blob *b)
{
	return arena_str(a, (const char *)b->p, b->n);
}
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
