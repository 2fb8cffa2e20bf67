/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
/*
 * A map from 64-bit numbers to pointers, in an arena. Keys are never removed. It grows by itself and keeps no order.
 * Not for an arena that has a scope during a put.
 */
struct hash {
	struct arena *arena;
	struct hash_slot {
		uint64_t key;
		void *val;
		bool used;
	} * slots;
	size_t n, cap;
};
/* The key of a text (FNV-1a); texts after one another continue from the key of the first. */
#define HASH_TEXT 0xcbf29ce484222325u
uint64_t hash_text(uint64_t key, const char *s);
void hash_init(struct hash *h, struct arena *a);
void *hash_get(const struct hash *h, uint64_t key); /* NULL: absent */
void **hash_put(struct hash *h, uint64_t key);	    /* the value, NULL if the key is new; valid until the next put */
