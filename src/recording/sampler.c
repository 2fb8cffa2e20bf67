/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/sampler.h"

#include <fcntl.h>

#include "host/proc.h"
#include "source/questions.h"
#include "source/samples.h"
#include "source/source.h"
#include "source/file/recorder.h"

struct sampler {
	struct sampling *sampling;
	struct source *file; /* NULL: between two files */
	struct arena *arena;
	struct hash threads;
	struct str piece, tasks;
	uint64_t pieces;
	size_t tasks_written; /* bytes */
	struct samples_head how;
	uint64_t lost; /* in the earlier files */
	uint64_t passed;
};

static void text_answer(struct sampler *s, enum question q, uint64_t i, const struct str *text)
{
	source_record_again(s->file, &(const struct asked){ q, i }, text->p, text->n);
}

static void head_put(struct sampler *s)
{
	STR text = { 0 };

	samples_head_put(&text, &s->how);
	text_answer(s, Q_SAMPLING, 0, &text);
}

int sampler_begin(struct sampler **ret, struct source *file, uint32_t hz)
{
	struct sampler *s;
	int err;

	*ret = NULL;
	if (!hz)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	err = sampling_open(&s->sampling, hz);
	if (err) {
		free(s);
		return err;
	}
	s->file = file;
	s->arena = arena_new();
	hash_init(&s->threads, s->arena);
	samples_head_begin(&s->how, s->sampling, hz);
	head_put(s);
	*ret = s;
	return 0;
}

/* A thread that has exited, or has no number in our process namespace, gets no name. */
static void thread_name(struct sampler *s, uint32_t tid, uint32_t pid)
{
	void **seen = hash_put(&s->threads, tid);
	char path[64], comm[17] = "";

	if (*seen)
		return;
	*seen = s;
	if (!tid || tid == UINT32_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	if (!proc_comm(AT_FDCWD, path, comm))
		samples_task_put(&s->tasks, tid, pid, comm);
}

static void piece_put(struct sampler *s)
{
	if (!s->piece.n)
		return;
	text_answer(s, Q_SAMPLES, s->pieces++, &s->piece);
	str_reset(&s->piece);
}

static void sampler_event(void *ctx, const struct sample *sample)
{
	struct sampler *s = ctx;

	thread_name(s, sample->tid, sample->pid);
	samples_put(&s->piece, sample);
	if (s->piece.n >= SAMPLES_PIECE)
		piece_put(s);
}

void sampler_read(struct sampler *s, bool flush)
{
	if (!s || !s->sampling || !s->file)
		return;
	sampling_read(s->sampling, sampler_event, s);
	if (!flush)
		return;
	piece_put(s);
	if (s->tasks.n != s->tasks_written)
		text_answer(s, Q_SAMPLED_TASKS, 0, &s->tasks);
	s->tasks_written = s->tasks.n;
}

static void file_end(struct sampler *s)
{
	sampler_read(s, true);
	samples_head_end(&s->how, s->sampling);
	s->how.lost -= s->lost;
	s->lost += s->how.lost;
	head_put(s);
}

void sampler_leave(struct sampler *s)
{
	if (!s)
		return;
	file_end(s);
	s->file = NULL;
}

void sampler_next(struct sampler *s, struct source *file)
{
	if (!s)
		return;
	s->file = file;
	s->pieces = s->tasks_written = 0;
	str_reset(&s->tasks);
	arena_free(s->arena);
	s->arena = arena_new();
	hash_init(&s->threads, s->arena);
	s->how.from = s->how.to;
	s->how.to = s->how.lost = 0;
	head_put(s);
}

void sampler_end(struct sampler *s)
{
	if (!s)
		return;
	file_end(s);
	s->passed = sampling_count(s->sampling).passed;
	sampling_close(&s->sampling);
}

void sampler_close(struct sampler **s)
{
	if (!*s)
		return;
	sampling_close(&(*s)->sampling);
	arena_free((*s)->arena);
	str_release(&(*s)->piece);
	str_release(&(*s)->tasks);
	free(*s);
	*s = NULL;
}

struct sampler_count sampler_count(const struct sampler *s)
{
	return s ? (struct sampler_count){ s->passed, s->lost } : (struct sampler_count){ 0 };
}
