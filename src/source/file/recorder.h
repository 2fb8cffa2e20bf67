/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/questions.h"

struct source;
struct blob;
/*
 * Asks @inner, passes its answers on, and writes each first answer to the archive @path: mode 0600. Until
 * source_record_finish() the file is PATH.partial (base/newfile.h), which has everything that was answered up to the
 * last second or 256 KiB, and is an archive at each moment; a signal that ends the program removes it, SIGKILL leaves
 * it; the next writer renames it and prints a note. Closing without finish leaves no file. "-" is standard output.
 * Takes @inner on success. @note: lines for the member "meta" (what was left out).
 */
int source_record(struct source **ret, struct source *inner, const char *path, const char *note, struct err *e);
/*
 * A recorder that continues @before, which is not finished: both ask the same inner source, and the new file has no
 * name until source_record_show(). Then @before passes the inner source on, and can be finished and closed. Whichever
 * is closed without that, @before is closed last.
 */
int source_record_next(struct source **ret, struct source *before, const char *path, const char *note, struct err *e);
int source_record_show(struct source *s, struct err *e); /* 0, or -errno with a message */
/*
 * While @on, the inner source is asked each question once: readers that ask the same one again get the first answer.
 * Not so source_record_peek().
 */
void source_record_once(struct source *s, bool on);
/* From now on PATH.partial stays, however the recording ends. */
void source_record_keep(struct source *s);
/*
 * Every five seconds, have a thread wait until the file is on the disk: else a loss of power would take what the kernel
 * has not yet written by itself, which may be half a minute.
 */
void source_record_sync(struct source *s);
/* 0, or -errno with a message if something could not be written; then nothing is written any more. */
int source_record_error(const struct source *s, struct err *e);
/*
 * Writes @p as the answer to @q, in place of an earlier one: a list without the objects that have gone meanwhile. Later
 * answers are ignored.
 */
void source_record_again(struct source *s, const struct asked *q, const void *p, size_t n);
/*
 * Writes @p as the answer to @q for now: a later answer replaces it, but not -ENOENT, and source_record_has() is false
 * until then.
 */
void source_record_draft(struct source *s, const struct asked *q, const void *p, size_t n);
/*
 * The present answer of the inner source: not written, or written in place of an earlier answer, unless it is a
 * refusal. Signals do not end the recording here.
 */
int source_record_peek(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
int source_record_renew(struct source *s, const struct asked *q, struct arena *a, struct blob *ret);
void source_record_flush(struct source *s); /* what was answered is in the file */
/* @bytes wait to be written: the more, the lower the compression of what follows. */
void source_record_waiting(struct source *s, uint64_t bytes);
int source_record_finish(struct source *s, struct err *e);
/*
 * @call, if not NULL, is called before each question and before the file is finished, for other work of the caller. If
 * it returns false, signals do not end the recording.
 */
void source_record_between(struct source *s, bool (*call)(void *ctx), void *ctx);
uint64_t source_record_size(const struct source *s); /* present size of the file in bytes */
/* Has it been asked, so that its answer is in the file? */
bool source_record_has(struct source *s, const struct asked *q);
