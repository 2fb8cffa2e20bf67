/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/perf/sampling.h"
#include "source/questions.h"

struct machine;
/*
 * The samples of a recording. Q_SAMPLING describes how they were taken; Q_SAMPLES 0, 1, ... are the samples, in pieces
 * as they arrived; Q_SAMPLED_TASKS has the names of their threads.
 */
struct samples_head {
	char event[16]; /* "cycles" */
	uint32_t hz;
	uint64_t from, to; /* ns since boot; to 0: the recorder was killed */
	uint64_t lost;	   /* samples lost for want of room */
};
/* At the start and at the end of sampling. */
void samples_head_begin(struct samples_head *ret, const struct sampling *s, uint32_t hz);
void samples_head_end(struct samples_head *h, const struct sampling *s);
/* Appends it as text, and parses that: 0 or -EBADMSG. */
void samples_head_put(struct str *ret, const struct samples_head *h);
int samples_head_parse(const struct blob *b, struct samples_head *ret);

/* A sample in an answer to Q_SAMPLES, followed by its callers, uint64_t each. */
struct sample_raw {
	uint64_t time, ip;
	uint32_t pid, tid, cpu;
	uint16_t ncallers;
	uint8_t user, zero;
};
#define SAMPLES_CALLERS_MAX 1024   /* of a sample; outer callers beyond that are left out */
#define SAMPLES_PIECE (256u << 10) /* approximate size of an answer in bytes */
void samples_put(struct str *ret, const struct sample *s);
/* Passes on each sample of an answer. 0; -EBADMSG: it is truncated in a sample, after those passed on. */
typedef void samples_handler(void *ctx, const struct sample *s);
int samples_parse(const struct blob *b, samples_handler *handle, void *ctx);

/* "TID PID COMM\n", the name escaped as in /proc/mounts. */
void samples_task_put(struct str *ret, uint32_t tid, uint32_t pid, const char *comm);
struct samples_task {
	uint32_t tid, pid;
	const char *comm;
};
struct samples_tasks {
	struct samples_task *task;
	size_t n;
}; /* ascending by tid */
int samples_tasks_parse(struct samples_tasks *ret, const struct blob *b, struct arena *a);
const char *samples_comm(const struct samples_tasks *t, uint32_t tid); /* NULL: unknown */

/*
 * The samples of a recording. 0; -ENODATA: it has none; -EBADMSG, -errno: noted, after the samples that could be read.
 * Memory in @scratch is freed after each piece.
 */
int samples_read_head(struct machine *m, struct arena *scratch, struct samples_head *ret);
int samples_head_error(int err, struct err *e); /* sets the sentence and a hint; returns @err */
/* Sets the sentence for @lost samples. False: none are lost. */
bool samples_lost_error(uint64_t lost, struct err *ret);
int samples_read(struct machine *m, struct arena *scratch, samples_handler *handle, void *ctx);
int samples_read_tasks(struct machine *m, struct arena *a, struct samples_tasks *ret);
