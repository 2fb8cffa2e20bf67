/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* The elements of a map as they were read at one time, found by key. */
#define STATE_MAX (128u << 20) /* bytes, without the index of 8 to 16 bytes for each element */
struct state {
	size_t key_size, stride; /* an element: key and value */
	unsigned char *elems;
	uint32_t *slots;	    /* index of an element + 1; 0: free */
	size_t n, cap, nslots, max; /* max: bytes; smaller in tests */
};
void state_init(struct state *s, size_t key_size, size_t value_size);
/* @elem: key and value, copied; a key that is already there keeps its value. -E2BIG with a sentence. */
int state_add(struct state *s, const unsigned char *elem, struct err *e);
int state_put(struct state *s, const unsigned char *elem, struct err *e);	  /* the same; it gets the new value */
const unsigned char *state_find(const struct state *s, const unsigned char *key); /* NULL: not found */
static inline const unsigned char *state_elem(const struct state *s, size_t i)
{
	return s->elems + i * s->stride;
}
void state_clear(struct state *s); /* memory is kept */
void state_release(struct state *s);
