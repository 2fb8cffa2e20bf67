/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_WALKED_H
#define SOURCE_WALKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which keys a walk has already handed out. BPF_MAP_GET_NEXT_KEY begins again at the first key when the one it is given
 * was deleted meanwhile, and says nothing of it.
 */

/* Of hashes, whose keys have no order: 64 bits of each key, 8 to 16 bytes of memory a key. All zero: none. */
struct walked {
	uint32_t map_id;
	uint64_t *slots;
	size_t n, cap;
};
void walked_reset(struct walked *w, uint32_t map_id);
bool walked_add(struct walked *w, const void *key, size_t n); /* false: it was there (or one in 2^64 / n looks alike) */
void walked_release(struct walked *w);

/*
 * The order of a walk through an LPM trie, as memcmp(): what is more specific comes before its prefix, a 0 bit before a
 * 1 bit. Equal: the same prefix. Keys are struct bpf_lpm_trie_key with @n bytes in all, at least 4.
 */
int lpm_cmp(const unsigned char *a, const unsigned char *b, size_t n);

#endif
