/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The few facts from the running kernel's BTF that our own BPF programs need, found in one walk. It takes 1 ms, and
 * little the next time; a full load takes 40 ms.
 */
struct kbtf_want {
	const char *type;   /* name of a struct; NULL: member is the name of a function */
	const char *member; /* may be in an unnamed struct or union; NULL: find the type itself, or a typedef */
	bool optional;
	int *ret;  /* set to the offset or the type id; -1: optional, and not found */
	bool bits; /* the member may be a bit field, and its offset is in bits */
};
#define KBTF_WANTS 96

/*
 * Set *ret of each want, of which there may be KBTF_WANTS. If several structs have the same name, the first one with
 * all required members is taken. 0; -ENOENT: something was not found; -EBADMSG: the BTF is damaged or has another byte
 * order. On failure nothing is set.
 */
int kbtf_find(const void *p, size_t n, const struct kbtf_want *want, size_t n_want);
/* The same in the running kernel's BTF; 0 or -errno. */
int kbtf_ask(const struct kbtf_want *want, size_t n_want);

/* /sys/kernel/btf/vmlinux in memory: mapped since Linux 6.16, read before. */
struct kbtf {
	void *p; /* NULL: not open */
	size_t n;
	bool mapped;
	struct kbtf_types *types; /* where each type is; NULL: not needed so far */
};
int kbtf_open(struct kbtf *k); /* 0 or -errno */
void kbtf_close(struct kbtf *k);
/* As kbtf_ask(). @k is opened unless it is, and stays open. */
int kbtf_ask_in(struct kbtf *k, const struct kbtf_want *want, size_t n_want);
/* Functions with this declaration tag, in the order of the types. Their number, of which @max are set; or -errno. */
struct kbtf_func {
	const char *name; /* in @k */
	uint32_t id;
};
int kbtf_tagged(struct kbtf *k, const char *tag, struct kbtf_func *ret, size_t max);
#define KBTF __attribute__((cleanup(kbtf_close))) struct kbtf
