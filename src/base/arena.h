/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/*
 * Memory for one command. Everything a record points to lives here and dies with arena_free().
 *
 * Never returns NULL: out of memory ends the program in one place (arena_oom, which tests replace). Sizes that come
 * from a file or the kernel are checked against what was actually received before they get here. Allocations are
 * aligned for any type.
 */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);			   /* NULL is fine */
void *arena_alloc(struct arena *a, size_t size);	   /* zeroed; size 0 gives a valid pointer */
void *arena_room(struct arena *a, size_t size);		   /* not zeroed: for much that is written at once */
void *arena_array(struct arena *a, size_t n, size_t size); /* zeroed; an overflowing product ends the program */
/*
 * Room for one more than the @n elements of @size bytes at @p, of the same arena; *cap is for how many there is room.
 * What is behind the
 * @n is zeroed. Returns where they are now.
 */
void *arena_more(struct arena *a, void *p, size_t n, size_t *cap, size_t size);
void *arena_dup(struct arena *a, const void *p, size_t n); /* a copy of n bytes */
char *arena_str(struct arena *a, const char *s, size_t n); /* at most n bytes of s, up to its NUL; terminated */
char *arena_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* fn(p) when the memory that is next allocated goes: for what an arena cannot free itself. Last come, first called. */
void arena_defer(struct arena *a, void (*fn)(void *p), void *p);

/* For streams: mark, read and print one record, rewind. What was allocated after the mark is gone after the rewind. */
size_t arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, size_t mark);

/* What happens when there is no memory. It must not return. Tests set it to longjmp; NULL restores the default. */
extern void (*arena_oom)(size_t size);
/* What is done before the program ends so. NULL: nothing. */
struct arena_last {
	/*
	 * Written to standard output: in JSON mode the error's document. Whoever writes there first sets it to NULL,
	 * for no document may be behind another.
	 */
	const char *words;
	void (*complete)(void *p); /* without words: completes the document that was begun */
	void *p;
	const char *file; /* removed: it is not complete */
};
extern struct arena_last arena_last;
/* Ends the program through arena_oom; for the few that allocate elsewhere. */
_Noreturn void arena_die(size_t size);

static inline void arena_freep(struct arena **a)
{
	arena_free(*a);
}
#define ARENA __attribute__((cleanup(arena_freep))) struct arena *

#endif
