/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* For the *.bpf.c files only: the kernel's names, to compile without its headers, and offsets in its structs. */
typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_helpers.h>

/*
 * Offset in bytes of MEMBER in the running kernel's struct TYPE. The loader finds the name in the symbol table and sets
 * the value before the verifier sees it. If the kernel has no such member, it is -1 with __weak, and else the program
 * is not loaded. If several structs have that name, the one with all required members is taken.
 */
#define OFFSET(type, member) const volatile int at__##type##__##member
#define FIELD(p, type, member) ((const char *)(p) + at__##type##__##member)
/* Read a member through a pointer whose type the verifier knows: a plain load. */
#define READ(to, p, type, member) (*(const volatile typeof(to) *)FIELD(p, type, member))
/* Read a member at any address; zero if it cannot be read. */
#define PROBE(to, p, type, member) bpf_probe_read_kernel(&(to), sizeof(to), FIELD(p, type, member))

/* The same for a bit field of one bit, in bits. */
#define OFFSET_BIT(type, member) const volatile int bit__##type##__##member
#define BIT_BYTE(type, member) ((__u32)bit__##type##__##member / 8)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIT_SHIFT(type, member) (7 - (__u32)bit__##type##__##member % 8)
#else
#define BIT_SHIFT(type, member) ((__u32)bit__##type##__##member % 8)
#endif

/* A map that is passed when the program is loaded. The type here does not matter. */
#define GIVEN_MAP(name) \
	struct { \
		__uint(type, 2); \
	} name SEC(".maps")

struct iter_meta { /* struct bpf_iter_meta */
	struct seq_file *seq;
};
/* Contexts of the iterators of objects; the pointer is 0 at the end of a walk. */
struct iter_bpf_prog { /* struct bpf_iter__bpf_prog */
	struct iter_meta *meta;
	const char *prog;
};
struct iter_bpf_map { /* struct bpf_iter__bpf_map */
	struct iter_meta *meta;
	const char *map;
};
struct iter_bpf_link { /* struct bpf_iter__bpf_link */
	struct iter_meta *meta;
	const char *link;
};

/* Make the compiler use the same register that was checked. */
#define KEEP(v) __asm__ volatile("" : "+r"(v))
