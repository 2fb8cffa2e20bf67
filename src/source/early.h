/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_EARLY_H
#define SOURCE_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct asked;
struct blob;
struct expected;
struct source;
/*
 * The same questions about many objects, asked by threads before their answers are needed: the kernel needs longer for
 * an answer than we for its text. Where the caller would wait for an answer, it does the threads' work, too.
 */
struct early;
#define EARLY_LEAST 512u /* objects from which on it is worth the threads */
#define EARLY_THREADS 3u /* at most, and one CPU is left for the caller */
/*
 * NULL: it is not worth it, or no thread can be had. Each thread has a source of its own: @open(), which returns NULL
 * where it fails. The caller asks @caller when it has to wait; early_take() then knows of nothing.
 */
struct early *early_start(const struct expected *x, struct source *caller, struct source *(*open)(void));
void early_end(struct early **e); /* NULL in it is fine */
/* True: this was asked; then *ret_err is 0 with *ret in the arena, or -errno. The objects should come in the order in
 * which they are listed. */
bool early_take(struct early *e, const struct asked *q, struct arena *a, struct blob *ret, int *ret_err);

#endif
