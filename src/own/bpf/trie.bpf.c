/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/program.bpf.h"
#include "own/bpf/trie.bpf.h"

/*
 * Walk an LPM trie in the order of BPF_MAP_GET_NEXT_KEY, starting after a prefix. A run is one RCU section: nodes
 * removed during the run stay readable and keep their children, so no node is missed that is in the trie all the time.
 * Between runs only a prefix is kept, never an address. Data that is read is not trusted: it cannot lead outside of our
 * own memory, nor to more than a fixed number of steps.
 */
#define INTERMEDIATE 1 /* LPM_TREE_NODE_FLAG_IM */
typedef uint64_t u64;

OFFSET(lpm_trie, root);
OFFSET(lpm_trie_node, child);
OFFSET(lpm_trie_node, prefixlen);
OFFSET(lpm_trie_node, flags);
OFFSET(lpm_trie_node, data);

struct trie_node { /* struct lpm_trie_node from child on */
	u64 child[2];
	unsigned prefixlen, flags;
};

GIVEN_MAP(trie);
struct trie_walk walk;

static __always_inline int read_at(void *dst, u64 size, u64 at)
{
	if (!bpf_probe_read_kernel(dst, size, (const void *)at))
		return 0;
	walk.failed = 1;
	return 1;
}

static __always_inline void push(u64 at)
{
	u64 d = walk.depth;

	walk.depth = d + 1;
	d &= TRIE_STACK - 1;
	KEEP(d);
	walk.stack[d] = at;
}

static __always_inline int emit(u64 at)
{
	u64 size = walk.size, to = walk.count * size;

	KEEP(size);
	KEEP(to);
	if (size > TRIE_BYTES || to > TRIE_BYTES)
		return 1;
	walk.count++;
	return read_at(walk.elems + to, size, at + at__lpm_trie_node__prefixlen);
}

static long step(unsigned i, void *ctx)
{
	struct trie_node n = { { 0 } };
	u64 d = walk.depth, at;

	(void)i;
	(void)ctx;
	if (!d) {
		walk.done = 1;
		return 1;
	}
	if (walk.count >= walk.room)
		return 1;
	walk.depth = --d;
	d &= TRIE_STACK - 1;
	KEEP(d);
	at = walk.stack[d];
	if (at & 1)
		return emit(at - 1);
	if (read_at(&n, sizeof(n), at + at__lpm_trie_node__child))
		return 1;
	if (!(n.flags & INTERMEDIATE)) {
		if (!n.child[0] && !n.child[1])
			return emit(at);
		push(at + 1);
	}
	if (n.child[1])
		push(n.child[1]);
	if (n.child[0])
		push(n.child[0]);
	return 0;
}

/* Number of leading zero bits; 64 for 0. Without branches, because the verifier would follow all of them. */
static __always_inline unsigned zeros(u64 x)
{
	for (unsigned i = 1; i < 64; i *= 2)
		x |= x >> i;
	x = ~x;
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return x * 0x0101010101010101 >> 56;
}

/* Length of the common prefix of walk.data and walk.from in bits; if they are equal, at least their size. */
static __always_inline unsigned bits_common(void)
{
	unsigned i;
	u64 x = 0;

	for (i = 0; i < TRIE_PREFIX / 8; i++) {
		x = walk.data[i] ^ walk.from[i];
		if (x)
			break;
	}
	/* Through memory, so that the verifier merges all paths to here. */
	*(volatile unsigned *)&walk.same = i * 64;
	return *(volatile unsigned *)&walk.same + zeros(__builtin_bswap64(x));
}

static __always_inline unsigned bit_at(const u64 *p, unsigned n)
{
	u64 byte = n / 8 & (TRIE_PREFIX - 1);

	KEEP(byte);
	return ((const unsigned char *)p)[byte] >> (7 - n % 8) & 1;
}

/* Go one node down towards walk.from, or the place where it was. Push what comes after it. */
static long descend(unsigned i, void *ctx)
{
	unsigned same, min;
	u64 size = walk.prefix;
	struct trie_node n = { { 0 } };
	u64 at = walk.at;

	(void)i;
	(void)ctx;
	KEEP(size);
	if (!at || size > TRIE_PREFIX || read_at(&n, sizeof(n), at + at__lpm_trie_node__child) ||
	    read_at(walk.data, size, at + at__lpm_trie_node__data))
		return 1;
	same = bits_common();
	min = n.prefixlen < walk.from_len ? n.prefixlen : walk.from_len;
	if (same < min) {
		if (bit_at(walk.data, same))
			push(at);
		return 1;
	}
	if (n.prefixlen >= walk.from_len) /* this node and all below it come before walk.from */
		return 1;
	if (!(n.flags & INTERMEDIATE))
		push(at + 1);
	if (bit_at(walk.from, n.prefixlen)) {
		walk.at = n.child[1];
		return 0;
	}
	if (n.child[1])
		push(n.child[1]);
	walk.at = n.child[0];
	return 0;
}

SEC("test_run") int trie_read(void *ctx)
{
	(void)ctx;
	walk.count = walk.done = walk.failed = walk.depth = 0;
	/* These members are read at once, so check their layout. */
	if (at__lpm_trie_node__prefixlen != at__lpm_trie_node__child + 16 ||
	    at__lpm_trie_node__flags != at__lpm_trie_node__prefixlen + 4 ||
	    at__lpm_trie_node__data != at__lpm_trie_node__flags + 4) {
		walk.failed = 1;
		return 0;
	}
	/* Through memory, because the verifier forbids arithmetic on the address of a map. */
	*(volatile u64 *)&walk.map = (u64)&trie;
	if (read_at(&walk.at, sizeof(walk.at), *(volatile u64 *)&walk.map + at__lpm_trie__root))
		return 0;
	bpf_loop(8 * TRIE_PREFIX + 1, descend, 0, 0);
	if (!walk.failed)
		bpf_loop(4 * walk.room + TRIE_STACK, step, 0, 0);
	return 0;
}
