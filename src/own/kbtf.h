/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_KBTF_H
#define OWN_KBTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The few facts of the running kernel's BTF that our own BPF programs need, found in one walk that builds no index of
 * all types: 1 ms instead of the 40 ms that a full load takes.
 */
struct kbtf_want {
	const char *type;   /* of a struct; NULL: member names a function */
	const char *member; /* may be in an unnamed struct or union; NULL: the type itself, or a typedef */
	bool optional;
	int *ret;  /* set to the offset, or to the type id; -1: optional, and not there */
	bool bits; /* the member may be a bit field, and its offset counts in bits */
};
#define KBTF_WANTS 96

/*
 * Sets *ret of each of at most KBTF_WANTS wants. Of several structs of one name the first counts that has all members
 * wanted of it that are not optional. 0; -ENOENT: something is not there; -EBADMSG: BTF of another byte order, or
 * damaged. On failure nothing is set.
 */
int kbtf_find(const void *p, size_t n, const struct kbtf_want *want, size_t n_want);
/* The same in the running kernel's BTF; 0 or -errno. */
int kbtf_ask(const struct kbtf_want *want, size_t n_want);

/* /sys/kernel/btf/vmlinux in memory: mapped where the kernel can (6.16), else read. */
struct kbtf {
	void *p; /* NULL: nothing */
	size_t n;
	bool mapped;
};
int kbtf_open(struct kbtf *k); /* 0 or -errno */
void kbtf_close(struct kbtf *k);
#define KBTF __attribute__((cleanup(kbtf_close))) struct kbtf

#endif
