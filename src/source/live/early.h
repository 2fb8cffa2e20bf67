/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct asked;
struct blob;
struct expected;
struct source;
/*
 * The same questions about many objects, asked by threads before their answers are needed: the kernel takes longer for
 * an answer than we do to print it. Instead of waiting for an answer, the caller works like the threads.
 */
struct early;
#define EARLY_LEAST 512u /* minimum number of objects for which threads pay off */
#define EARLY_THREADS 3u /* at most; one CPU is left to the caller */
/*
 * NULL: it does not pay off, or no thread can be created. Each thread has its own source, from @open(), which returns
 * NULL if it fails. The caller uses @caller for the questions that it asks itself.
 */
struct early *early_start(const struct expected *x, struct source *caller, struct source *(*open)(void));
void early_end(struct early **e); /* *e may be NULL */
/*
 * True: this was asked; *ret_err is 0 with *ret in the arena, or -errno. The objects should be taken in the order in
 * which they are listed.
 */
bool early_take(struct early *e, const struct asked *q, struct arena *a, struct blob *ret, int *ret_err);
