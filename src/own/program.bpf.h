/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_PROGRAM_BPF_H
#define OWN_PROGRAM_BPF_H

/* For the *.bpf.c files only: names of the kernel, so that they compile without its headers, and offsets in its
 * structs. */
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
 * Where MEMBER is in the running kernel's struct TYPE, in bytes; the loader finds the name in the symbol table and sets
 * the value before the verifier sees it. With __weak it is -1 where the kernel has no such member; otherwise the
 * program is not loaded there. Of several structs with that name it is the one that has all members asked for.
 */
#define OFFSET(type, member) const volatile int at__##type##__##member
#define FIELD(p, type, member) ((const char *)(p) + at__##type##__##member)
/* A member of a pointer whose type the verifier knows: a plain load. */
#define READ(to, p, type, member) (*(const volatile typeof(to) *)FIELD(p, type, member))
/* A member behind any address; what cannot be read is zero. */
#define PROBE(to, p, type, member) bpf_probe_read_kernel(&(to), sizeof(to), FIELD(p, type, member))

/* The same for a bit field of one bit: counted in bits. */
#define OFFSET_BIT(type, member) const volatile int bit__##type##__##member
#define BIT_BYTE(type, member) ((__u32)bit__##type##__##member / 8)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIT_SHIFT(type, member) (7 - (__u32)bit__##type##__##member % 8)
#else
#define BIT_SHIFT(type, member) ((__u32)bit__##type##__##member % 8)
#endif

/* A map that is given when the program is loaded; of which type it is, does not matter here. */
#define GIVEN_MAP(name) \
	struct { \
		__uint(type, 2); \
	} name SEC(".maps")

struct iter_meta { /* struct bpf_iter_meta */
	struct seq_file *seq;
};

/* So that the bounds that were checked are those of the register that is used. */
#define KEEP(v) __asm__ volatile("" : "+r"(v))

#endif
