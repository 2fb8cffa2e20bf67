/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define MORE_FIRST 16u
#define ARENA_ALIGN _Alignof(max_align_t)
#define CHUNK_SIZE ((size_t)64 << 10)

/* Positions count on from chunk to chunk: a mark is one number, and a rewind needs nothing else. */
struct chunk {
	struct chunk *prev;
	size_t start; /* position of data[0] */
	size_t size, used;
	_Alignas(max_align_t) char data[];
};

struct deferred {
	struct deferred *next;
	size_t mark;
	void (*fn)(void *p);
	void *p;
};

struct arena {
	struct chunk *top;
	struct deferred *deferred;
};

void (*arena_oom)(size_t size);
struct arena_last arena_last;

void arena_die(size_t size)
{
	static const char text[] = "bpflens: out of memory\n";
	const struct arena_last last = arena_last;

	if (arena_oom)
		arena_oom(size);
	arena_last = (struct arena_last){ 0 }; /* so that last.complete() cannot come back here */
	if (last.file)
		unlink(last.file);
	if (last.words && write(STDOUT_FILENO, last.words, strlen(last.words)) < 0)
		_exit(EXIT_FAILED);
	if (!last.words && last.complete)
		last.complete(last.p);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		arena_die(sizeof(*a));
	return a;
}

static void arena_pop(struct arena *a)
{
	struct chunk *c = a->top;

	a->top = c->prev;
	free(c);
}

void arena_defer(struct arena *a, void (*fn)(void *p), void *p)
{
	struct deferred *d;
	size_t mark = arena_mark(a);

	d = arena_alloc(a, sizeof(*d));
	*d = (struct deferred){ .next = a->deferred, .mark = mark, .fn = fn, .p = p };
	a->deferred = d;
}

static void arena_run_deferred(struct arena *a, size_t mark)
{
	struct deferred *d;

	while ((d = a->deferred) && d->mark >= mark) {
		a->deferred = d->next;
		d->fn(d->p);
	}
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	arena_run_deferred(a, 0);
	while (a->top)
		arena_pop(a);
	free(a);
}

static void arena_grow(struct arena *a, size_t need)
{
	size_t start = a->top ? a->top->start + a->top->size : 0;
	size_t size = need > CHUNK_SIZE - sizeof(struct chunk) ? need : CHUNK_SIZE - sizeof(struct chunk);
	struct chunk *c;

	if (size > SIZE_MAX / 2 - start)
		arena_die(need);
	c = malloc(sizeof(*c) + size);
	if (!c)
		arena_die(need);
	*c = (struct chunk){ .prev = a->top, .start = start, .size = size };
	a->top = c;
}

void *arena_room(struct arena *a, size_t size)
{
	size_t need;
	void *p;

	if (size > SIZE_MAX / 4)
		arena_die(size);
	need = (size + !size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	if (!a->top || a->top->size - a->top->used < need)
		arena_grow(a, need);
	p = a->top->data + a->top->used;
	a->top->used += need;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return memset(arena_room(a, size), 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		arena_die(SIZE_MAX);
	return arena_alloc(a, bytes);
}

void *arena_more(struct arena *a, void *p, size_t n, size_t *cap, size_t size)
{
	void *more;

	if (n < *cap)
		return p;
	*cap = *cap ? 2 * *cap : MORE_FIRST;
	more = arena_array(a, *cap, size);
	if (n)
		memcpy(more, p, n * size);
	return more;
}

void *arena_dup(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_room(a, n);

	return n ? memcpy(copy, p, n) : copy;
}

char *arena_str(struct arena *a, const char *s, size_t n)
{
	size_t len = n < PTRDIFF_MAX ? strnlen(s, n) : strlen(s);
	char *copy = arena_room(a, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *arena_fmt(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		arena_die(0);
	s = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

size_t arena_mark(const struct arena *a)
{
	return a->top ? a->top->start + a->top->used : 0;
}

void arena_rewind(struct arena *a, size_t mark)
{
	arena_run_deferred(a, mark);
	while (a->top && a->top->start > mark)
		arena_pop(a);
	if (a->top && a->top->start + a->top->used > mark)
		a->top->used = mark - a->top->start;
}
