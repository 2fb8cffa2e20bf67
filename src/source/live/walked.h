/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The keys that a walk has already returned. If the key given to BPF_MAP_GET_NEXT_KEY was deleted meanwhile, it
 * silently starts again at the first key.
 */

/* For hashes, whose keys have no order: a 64-bit fingerprint of each key, 8 to 16 bytes of memory. All zero: none. */
struct walked {
	uint32_t map_id;
	uint64_t *slots;
	size_t n, cap;
};
void walked_reset(struct walked *w, uint32_t map_id);
/* False: already there (or, one in 2^64 / n, a collision). */
bool walked_add(struct walked *w, const void *key, size_t n);
void walked_release(struct walked *w);

/*
 * The order of a walk through an LPM trie, as memcmp(): a more specific prefix comes before a shorter one that contains
 * it, a 0 bit before a 1 bit. Equal: the same prefix. Keys are struct bpf_lpm_trie_key of @n bytes, at least 4.
 */
int lpm_cmp(const unsigned char *a, const unsigned char *b, size_t n);
