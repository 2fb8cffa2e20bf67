/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"

#define MORE_FIRST 16u
/* In the exact build each allocation is a chunk of its size, so that the sanitizer sees its end and its life. */
#ifdef ARENA_EXACT
#define ARENA_ALIGN 1u
#define CHUNK_SIZE sizeof(struct arena_chunk)
#else
#define ARENA_ALIGN _Alignof(max_align_t)
#define CHUNK_SIZE ((size_t)64 << 10)
#endif

struct arena_chunk {
	struct arena_chunk *prev;
	size_t size, used;
	_Alignas(max_align_t) char data[];
};

struct arena_deferred {
	struct arena_deferred *next;
	void (*fn)(void *p);
	void *p;
};

struct arena {
	struct arena_chunk *top;
	struct arena_deferred *deferred;
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

void arena_defer(struct arena *a, void (*fn)(void *p), void *p)
{
	struct arena_deferred *d = arena_alloc(a, sizeof(*d));

	*d = (struct arena_deferred){ .next = a->deferred, .fn = fn, .p = p };
	a->deferred = d;
}

static void arena_grow(struct arena *a, size_t need)
{
	const size_t rest = CHUNK_SIZE - sizeof(struct arena_chunk), size = need > rest ? need : rest;
	struct arena_chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		arena_die(need);
	*c = (struct arena_chunk){ .prev = a->top, .size = size };
	a->top = c;
}

struct arena_scope arena_scope(struct arena *a)
{
	if (!a->top) /* not freed and allocated in each round of a loop */
		arena_grow(a, 0);
	return (struct arena_scope){ a, a->top, a->top->used, a->deferred };
}

void arena_scope_end(struct arena_scope *s)
{
	struct arena *a = s->arena;

	while (a->deferred != s->deferred) {
		const struct arena_deferred *d = a->deferred;

		a->deferred = d->next;
		d->fn(d->p);
	}
	while (a->top != s->top) {
		struct arena_chunk *c = a->top;

		a->top = c->prev;
		free(c);
	}
	if (a->top)
		a->top->used = s->used;
}

void arena_clear(struct arena *a)
{
	arena_scope_end(&(struct arena_scope){ .arena = a });
}

void arena_free(struct arena *a)
{
	if (a)
		arena_clear(a);
	free(a);
}

static void arena_end(void *a)
{
	arena_free(a);
}

struct arena *arena_within(struct arena *outer)
{
	struct arena *a = arena_new();

	arena_defer(outer, arena_end, a);
	return a;
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

size_t arena_size(const struct arena *a)
{
	size_t n = 0;

	for (const struct arena_chunk *c = a->top; c; c = c->prev)
		n += c->used;
	return n;
}
