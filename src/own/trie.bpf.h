/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_TRIE_BPF_H
#define OWN_TRIE_BPF_H

#include <stdint.h>

/* What trie.bpf.c and trie.c tell each other: the program's variables. */
#define TRIE_PREFIX 256		/* bytes of a prefix, at most */
#define TRIE_BYTES (512u << 10) /* of elements that one run makes, and of a single one */
#define TRIE_STACK 8192		/* a power of 2; two entries for each bit of a prefix fit */

struct trie_walk {
	/* What to do: behind this prefix, at most so many elements. */
	uint32_t room, from_len;
	uint64_t from[TRIE_PREFIX / 8];
	uint32_t prefix; /* bytes of a prefix */
	uint32_t size;	 /* bytes of an element: a node from prefixlen to the end of its value */
	/* What came of it. */
	uint32_t count;
	uint32_t done;	 /* 1: nothing comes behind them */
	uint32_t failed; /* 1: memory could not be read, or is not laid out as we know it */
	/* The program's own. */
	uint32_t depth, same;
	uint64_t map, at;
	uint64_t data[TRIE_PREFIX / 8];
	uint64_t stack[TRIE_STACK]; /* addresses of nodes; odd: only the node, its children are done */
	uint8_t elems[2 * TRIE_BYTES];
};

#endif
