/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_TRIE_BPF_H
#define OWN_TRIE_BPF_H

/* What trie.bpf.c and own/trie.c tell each other: the program's global variable. Compiled for the BPF target, too. */
#define TRIE_PREFIX 256			/* bytes of a prefix, at most */
#define TRIE_BYTES (512u << 10)		/* of elements that one run makes, and of a single one */
#define TRIE_STACK 8192			/* a power of 2; two entries for each bit of a prefix fit */

struct trie_walk {
	/* Offsets in bytes, from the kernel's BTF: struct lpm_trie's root; struct lpm_trie_node's child, prefixlen. */
	unsigned root, child, prefixlen;
	/* What to do: behind this prefix, at most so many elements. */
	unsigned room, from_len;
	unsigned long long from[TRIE_PREFIX / 8];
	unsigned prefix;		/* bytes of a prefix */
	unsigned size;			/* bytes of an element: a node from prefixlen to the end of its value */
	/* What came of it. */
	unsigned count;
	unsigned done;			/* 1: nothing comes behind them */
	unsigned failed;		/* 1: memory could not be read */
	/* The program's own. */
	unsigned depth, same;
	unsigned long long map, at;
	unsigned long long data[TRIE_PREFIX / 8];
	unsigned long long stack[TRIE_STACK];	/* addresses of nodes; odd: only the node, its children are done */
	unsigned char elems[2 * TRIE_BYTES];
};

#endif
