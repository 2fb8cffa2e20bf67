/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* A map from strings to pointers, in an arena; for the keys of an archive and the paths of pins. */
struct keys {
	struct hash hash;
};
#define KEYS_CHAIN 64 /* keys that may share a 64-bit hash; more are an attack */

void keys_init(struct keys *k, struct arena *a);
void *keys_get(const struct keys *k, const char *key); /* NULL: absent */
/* The slot; if absent, it is made with a copy of the key and NULL in it. NULL: too many keys have the same hash. */
void **keys_put(struct keys *k, const char *key);
