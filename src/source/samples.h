/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SAMPLES_H
#define SOURCE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sampling.h"
#include "source/questions.h"

struct machine;
struct arena;
struct blob;
struct str;
struct err;
/*
 * The samples of a recording. Q_SAMPLING says how they were taken; Q_SAMPLES, 0, 1, ..., are the samples themselves, in
 * pieces as they came; Q_SAMPLED_TASKS names the threads in them.
 */
struct samples_head {
	char event[16]; /* "cycles" */
	uint32_t hz;
	uint64_t from, to; /* ns since boot; to 0: it did not end well */
	uint64_t lost;	   /* there was no room for them */
};
/* Of samples that are taken from now on, and how it ended. */
void samples_head_begin(struct samples_head *ret, const struct sampling *s, uint32_t hz);
void samples_head_end(struct samples_head *h, const struct sampling *s);
/* Text, appended, and read again. 0; -EBADMSG. */
void samples_head_put(struct str *ret, const struct samples_head *h);
int samples_head_parse(const struct blob *b, struct samples_head *ret);

/* As it stands in an answer to Q_SAMPLES, in front of its callers, uint64_t each. */
struct sample_raw {
	uint64_t time, ip;
	uint32_t pid, tid, cpu;
	uint16_t ncallers;
	uint8_t user, zero;
};
#define SAMPLES_CALLERS_MAX 1024   /* of one sample; those that are farther out are left out */
#define SAMPLES_PIECE (256u << 10) /* bytes, about, of one answer */
void samples_put(struct str *ret, const struct sample *s);
/* Each sample of an answer. 0; -EBADMSG: it ends in the middle of one; those before it were told. */
typedef void samples_heard(void *ctx, const struct sample *s);
int samples_parse(const struct blob *b, samples_heard *heard, void *ctx);

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
const char *samples_comm(const struct samples_tasks *t, uint32_t tid); /* NULL: not known */

/*
 * Of a machine that is a recording. 0; -ENODATA: it has none; -EBADMSG, -errno: noted, those that could be read were
 * told. @scratch is rewound behind each piece.
 */
int samples_read_head(struct machine *m, struct arena *scratch, struct samples_head *ret);
int samples_head_failed(int err, struct err *e); /* the sentence for it, and a hint; returns @err */
/* The sentence for @lost samples. False: there are none. */
bool samples_lost(uint64_t lost, struct err *ret);
int samples_read(struct machine *m, struct arena *scratch, samples_heard *heard, void *ctx);
int samples_read_tasks(struct machine *m, struct arena *a, struct samples_tasks *ret);

#endif
