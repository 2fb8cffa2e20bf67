/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

#include "base/err.h"

/*
 * Memory for one command. Everything a record points to lives here and dies with arena_free().
 *
 * Never returns NULL: out of memory ends the program in one place (arena_oom, which tests replace). Sizes that come
 * from a file or the kernel are checked against what was actually received before they get here. Allocations are
 * aligned for any type.
 */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);			   /* @a may be NULL */
void *arena_alloc(struct arena *a, size_t size);	   /* zeroed; size 0 gives a valid pointer */
void *arena_room(struct arena *a, size_t size);		   /* not zeroed: for large blocks that are written at once */
void *arena_array(struct arena *a, size_t n, size_t size); /* zeroed; an overflowing product ends the program */
/*
 * Make room for one more element after the @n elements of @size bytes at @p, in the same arena. *cap is the number of
 * elements that fit. The new room is zeroed. Returns the elements' address, which may have changed.
 */
void *arena_more(struct arena *a, void *p, size_t n, size_t *cap, size_t size);
/* The same where @p and @cap are variables: p[n] is there afterwards. */
#define ARENA_MORE(a, p, n, cap) ((p) = arena_more(a, p, n, &(cap), sizeof(*(p))))
void *arena_dup(struct arena *a, const void *p, size_t n); /* a copy of n bytes */
char *arena_str(struct arena *a, const char *s, size_t n); /* at most n bytes of s, up to its NUL; terminated */
char *arena_fmt(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

/*
 * Call fn(p) when the memory that is allocated next is freed: for what an arena cannot free itself. The last one
 * deferred is called first.
 */
void arena_defer(struct arena *a, void (*fn)(void *p), void *p);
struct arena *arena_within(struct arena *outer); /* a new arena, freed with what is allocated next in @outer */
/* Free everything in an arena, which the caller has made: nobody else may keep something in it. */
void arena_clear(struct arena *a);
size_t arena_size(const struct arena *a); /* bytes allocated and not freed */

/*
 * For streams, a declaration in a block: what is allocated in @a after it is freed at the end of the block. What was
 * there before stays. Not for an arena that lives as long as a command, because readers may keep something in it.
 */
#define ARENA_SCOPE(a) ARENA_SCOPE_(a, __LINE__)
#define ARENA_SCOPE_(a, line) ARENA_SCOPE__(a, line)
#define ARENA_SCOPE__(a, line) \
	__attribute__((cleanup(arena_scope_end), unused)) struct arena_scope scope_##line = arena_scope(a)
struct arena_scope {
	struct arena *arena;
	struct arena_chunk *top;
	size_t used;
	struct arena_deferred *deferred;
};
struct arena_scope arena_scope(struct arena *a);
void arena_scope_end(struct arena_scope *s);

/* What happens when there is no memory. It must not return. Tests set it to longjmp; NULL restores the default. */
extern void (*arena_oom)(size_t size);
/* What is done before the program ends for lack of memory. NULL: nothing. */
struct arena_last {
	/*
	 * Written to standard output: the error's document in JSON mode. Whatever writes to standard output first sets
	 * it to NULL, because no document may follow another.
	 */
	const char *words;
	void (*complete)(void *p); /* if words is NULL: completes the document that was begun */
	void *p;
	const char *file; /* an incomplete file, to be removed */
};
extern struct arena_last arena_last;
/* End the program through arena_oom; for the few allocations outside an arena. */
_Noreturn void arena_die(size_t size);

static inline void arena_freep(struct arena **a)
{
	arena_free(*a);
}
#define ARENA __attribute__((cleanup(arena_freep))) struct arena *
