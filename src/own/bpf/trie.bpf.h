/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* What trie.bpf.c and trie.c share: the program's variables. */
#define TRIE_PREFIX 256		/* most bytes of a prefix */
#define TRIE_BYTES (512u << 10) /* most bytes of elements of one run */
#define TRIE_STACK 8192		/* a power of 2, enough for two entries for each bit of a prefix */

struct trie_walk {
	/* Request: at most @room elements after prefix @from. */
	uint32_t room, from_len;
	uint64_t from[TRIE_PREFIX / 8];
	uint32_t prefix; /* bytes of a prefix */
	uint32_t size;	 /* bytes of an element: a node from prefixlen to the end of its value */
	/* Result. */
	uint32_t count;
	uint32_t done;	 /* 1: no elements come after them */
	uint32_t failed; /* 1: memory could not be read, or has an unknown layout */
	/* Internal to the program. */
	uint32_t depth, same;
	uint64_t map, at;
	uint64_t data[TRIE_PREFIX / 8];
	uint64_t stack[TRIE_STACK]; /* addresses of nodes; odd: only the node, because its children are done */
	uint8_t elems[2 * TRIE_BYTES];
};
