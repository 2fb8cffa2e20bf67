/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include "base/when.h"
#include "base/bytes.h"
#include "base/message.h"
#include "base/newfile.h"
#include "base/signals.h"
#include "kernel/clock.h"
#include "source/keys.h"
#include "source/once.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "source/file/recorder.h"

#define SYNC_SECONDS 5
#define WAITING_MANY (256ull << 20) /* bytes */
#define HINT_KEPT "what was recorded before is in %s" NEWFILE_PARTIAL "; --from reads it"

struct recorder {
	struct source source;
	struct source *inner;
	struct source *once;	 /* around the inner one, while source_record_once(); else NULL */
	struct recorder *before; /* to continue, until source_record_show(): it has the inner source */
	bool passed_on;		 /* the next recorder has the inner source */
	struct arena *arena;
	struct keys asked; /* answered for good: the recorder, or for now: its @tar */
	struct tar_writer *tar;
	struct newfile file;
	const char *path;  /* in messages */
	struct err failed; /* the first write error */
	bool finished;
	time_t synced;
	pthread_t thread; /* in source_record_sync() */
	bool syncing;
	int sync_error;		/* of the thread */
	atomic_bool is_synced;	/* the thread has nothing more to do */
	struct signals signals; /* blocked while a file exists that they would leave behind */
	bool (*between)(void *ctx);
	void *between_ctx;
};

/* Removes the file unless it is kept, then raises the signal. If that does not end the program, nothing more is
 * written. */
static void end_by_signal(struct recorder *r)
{
	if (r->file.stays && !tar_writer_flush(r->tar, NULL))
		message("bpflens: interrupted: " HINT_KEPT, r->path);
	tar_writer_close(&r->tar);
	newfile_release(&r->file);
	signals_release(&r->signals);
	err_set(&r->failed, -EINTR, "interrupted");
}

static void answer_record(struct recorder *r, const char *key, int err, const struct blob *b)
{
	STR name = { 0 };
	char text[16];

	tar_name_put(&name, key);
	if (err) {
		str_puts(&name, ".errno");
		snprintf(text, sizeof(text), "%d\n", -err);
		tar_writer_add(r->tar, name.p, text, strlen(text), &r->failed);
	} else {
		tar_writer_add(r->tar, name.p, b->p, b->n, &r->failed);
	}
}

static bool is_end_signalled(struct recorder *r)
{
	return (!r->between || r->between(r->between_ctx)) && signals_came(&r->signals);
}

static int recorder_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct recorder *r = (struct recorder *)s;
	bool live_only = questions[q->q].saved == SAVED_NEVER;
	STR key = { 0 };
	void **slot;
	int err;

	if (is_end_signalled(r))
		end_by_signal(r);
	if (!r->failed.code)
		tar_writer_tick(r->tar);
	err = live_only ? -ENODATA : source_ask(r->once ? r->once : r->inner, q, a, ret);

	/* -ENODATA: an archive does not have the answer. */
	if (err == -ENODATA || r->failed.code || r->finished || question_key(q, &key))
		return err;
	slot = keys_put(&r->asked, key.p);
	if (!slot) {
		err_set(&r->failed, -EBADMSG, "the names are made to collide");
	} else if (*slot != r) {
		/* An object that has gone since keeps what was known of it. */
		if (!*slot || err != -ENOENT)
			answer_record(r, key.p, err, ret);
		*slot = r;
	}
	return err;
}

bool source_record_has(struct source *s, const struct asked *q)
{
	const struct recorder *r = (const struct recorder *)s;
	STR key = { 0 };

	return !question_key(q, &key) && keys_get(&r->asked, key.p) == r;
}

void source_record_again(struct source *s, const struct asked *q, const void *p, size_t n)
{
	struct recorder *r = (struct recorder *)s;
	STR key = { 0 };
	void **slot;

	if (r->failed.code || r->finished || question_key(q, &key))
		return;
	/* From now on this is the answer; later ones of the inner source are ignored. */
	slot = keys_put(&r->asked, key.p);
	if (slot)
		*slot = r;
	answer_record(r, key.p, 0, &(struct blob){ p, n });
}

void source_record_draft(struct source *s, const struct asked *q, const void *p, size_t n)
{
	struct recorder *r = (struct recorder *)s;
	STR key = { 0 };
	void **slot = r->failed.code || r->finished || question_key(q, &key) ? NULL : keys_put(&r->asked, key.p);

	if (!slot || *slot == r)
		return;
	*slot = r->tar;
	answer_record(r, key.p, 0, &(struct blob){ p, n });
}

/*
 * Level 1 takes half the time of GZIP_LEVEL, beside processes that load programs, for a tenth more bytes; level 0 a
 * tenth, for up to ten times as many.
 */
void source_record_waiting(struct source *s, uint64_t bytes)
{
	const struct recorder *r = (const struct recorder *)s;

	if (r->tar)
		tar_writer_set_level(r->tar, bytes < WAITING_MANY ? 1 : 0);
}

int source_record_peek(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct recorder *r = (struct recorder *)s;

	if (r->between)
		r->between(r->between_ctx);
	return source_ask(r->inner, q, a, ret);
}

int source_record_renew(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	int err = source_record_peek(s, q, a, ret);

	if (!err)
		source_record_again(s, q, ret->p, ret->n);
	return err;
}

void source_record_flush(struct source *s)
{
	struct recorder *r = (struct recorder *)s;

	if (!r->failed.code)
		tar_writer_flush(r->tar, &r->failed);
}

static void recorder_idle(struct source *s)
{
	source_record_flush(s);
	source_idle(((struct recorder *)s)->inner);
}

/* Wait until the file is on the disk. */
static void sync_end(struct recorder *r)
{
	if (r->syncing)
		pthread_join(r->thread, NULL);
	r->syncing = false;
	if (r->sync_error && !r->failed.code)
		err_sys(&r->failed, r->sync_error, "cannot write");
}

static void recorder_free(struct recorder *r)
{
	sync_end(r);
	tar_writer_close(&r->tar);
	newfile_release(&r->file);
	signals_release(&r->signals);
	arena_free(r->arena);
	free(r);
}

static void recorder_close(struct source *s)
{
	struct recorder *r = (struct recorder *)s;

	source_close(&r->once);
	if (!r->before && !r->passed_on)
		source_close(&r->inner);
	recorder_free(r);
}

static const struct source_ops recorder_ops = {
	.name = "record",
	.get = recorder_get,
	.idle = recorder_idle,
	.close = recorder_close,
};

static int open_file(struct recorder *r, const char *path, struct err *e)
{
	const bool named = strcmp(path, "-") != 0;
	int err;

	r->path = named ? arena_str(r->arena, path, SIZE_MAX) : "standard output";
	err = named ? newfile_open(&r->file, path, e) : newfile_stdout(&r->file, e);
	if (err)
		return err;
	err = tar_writer_open(&r->tar, r->file.fd, e);
	return err ? err_in(e, "%s", path) : 0;
}

static const char *order_word(bool big)
{
	return big ? "big" : "little";
}

/* The file is an archive from the beginning: the first gzip member is written at once. */
static int write_meta(struct recorder *r, const char *note, struct err *e)
{
	STR text = { 0 };
	char when[WHEN_TEXT];

	/* time() may be late by as much as a tick, in a virtual machine by more. */
	when_print(when, clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC, 0, 0, true);
	str_fmt(&text, "bpflens %s\ncreated %s\nendian %s\npointer %zu\nformat 2\n", BPFLENS_VERSION, when,
		order_word(BIG_HERE), sizeof(void *));
	if (r->source.swapped)
		str_fmt(&text, "memory %s\n", order_word(!BIG_HERE));
	if (note && *note)
		str_fmt(&text, "%s%s", note, note[strlen(note) - 1] == '\n' ? "" : "\n");
	tar_writer_add(r->tar, "meta", text.p, text.n, NULL);
	return tar_writer_flush(r->tar, e) ? err_in(e, "%s", r->path) : 0;
}

static int file_show(struct recorder *r, struct err *e)
{
	const int err = newfile_show(&r->file, e);

	if (!err && r->file.left)
		message("bpflens: %s" NEWFILE_PARTIAL " was left by a 'save' or 'record' that was killed; it is now %s",
			r->path, r->file.left);
	return err;
}

/* Without a name. */
static int recorder_new(struct recorder **ret, struct source *inner, const char *path, const char *note, struct err *e)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return err_sys(e, -ENOMEM, "%s", path);
	r->source = (struct source){ &recorder_ops, inner->swapped };
	r->file.fd = -1;
	r->arena = arena_new();
	keys_init(&r->asked, r->arena);
	err = open_file(r, path, e);
	if (!err)
		err = write_meta(r, note, e);
	if (err) {
		recorder_free(r);
		return err;
	}
	r->inner = inner;
	*ret = r;
	return 0;
}

int source_record(struct source **ret, struct source *inner, const char *path, const char *note, struct err *e)
{
	struct recorder *r;
	int err = recorder_new(&r, inner, path, note, e);

	if (err)
		return err;
	signals_hold(&r->signals);
	err = file_show(r, e);
	if (err)
		recorder_free(r);
	else
		*ret = &r->source;
	return err;
}

int source_record_next(struct source **ret, struct source *before, const char *path, const char *note, struct err *e)
{
	struct recorder *r, *from = (struct recorder *)before;
	int err = recorder_new(&r, from->inner, path, note, e);

	if (err)
		return err;
	r->before = from;
	*ret = &r->source;
	return 0;
}

int source_record_show(struct source *s, struct err *e)
{
	struct recorder *r = (struct recorder *)s, *before = r->before;
	int err = file_show(r, e);

	if (err)
		return err;
	r->signals = before->signals;
	before->signals.held = false;
	before->passed_on = true;
	r->before = NULL;
	return 0;
}

int source_record_error(const struct source *s, struct err *e)
{
	const struct recorder *r = (const struct recorder *)s;

	if (!r->failed.code)
		return 0;
	err_set(e, r->failed.code, "%s: %s", r->path, r->failed.msg);
	if (r->file.stays)
		err_hint(e, HINT_KEPT, r->path);
	return r->failed.code;
}

void source_record_once(struct source *s, bool on)
{
	struct recorder *r = (struct recorder *)s;
	struct source *inner;

	if (on) {
		r->once = source_once(r->inner);
		return;
	}
	inner = source_once_take(&r->once);
	source_close(&r->once);
	r->inner = inner;
}

static void *sync_run(void *p)
{
	struct recorder *r = p;

	r->sync_error = fdatasync(r->file.fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
	atomic_store(&r->is_synced, true);
	return NULL;
}

void source_record_sync(struct source *s)
{
	struct recorder *r = (struct recorder *)s;
	const time_t now = time(NULL);
	sigset_t all, before;

	if (r->syncing && atomic_load(&r->is_synced))
		sync_end(r);
	if (r->syncing || r->failed.code || (now >= r->synced && now - r->synced < SYNC_SECONDS))
		return;
	r->synced = now;
	atomic_store(&r->is_synced, false);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r->syncing = !pthread_create(&r->thread, NULL, sync_run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r->syncing)
		return;
	sync_run(r);
	sync_end(r);
}

void source_record_keep(struct source *s)
{
	newfile_keep(&((struct recorder *)s)->file);
}

int source_record_finish(struct source *s, struct err *e)
{
	struct recorder *r = (struct recorder *)s;
	int err;

	sync_end(r);
	if (!r->failed.code)
		tar_writer_finish(r->tar, &r->failed);
	if (is_end_signalled(r))
		end_by_signal(r);
	r->finished = true;
	err = source_record_error(s, e);
	if (err)
		return err;
	err = newfile_finish(&r->file, e);
	signals_release(&r->signals);
	return err;
}

void source_record_between(struct source *s, bool (*call)(void *ctx), void *ctx)
{
	struct recorder *r = (struct recorder *)s;

	r->between = call;
	r->between_ctx = ctx;
}

uint64_t source_record_size(const struct source *s)
{
	struct stat st;

	return fstat(((const struct recorder *)s)->file.fd, &st) ? 0 : (uint64_t)st.st_size;
}
