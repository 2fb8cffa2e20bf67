/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_KBTF_H
#define OWN_KBTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The few facts of the running kernel's BTF that our own BPF program needs, found in one walk without building an index:
 * 1 ms instead of the 40 ms that a full load and relocation take.
 */
#define KBTF_MEMBERS 4
struct kbtf_want {
	const char *type;		/* a struct */
	bool optional;
	struct {
		const char *name;	/* direct members only; NULL ends */
		unsigned *off;		/* set to the offset in bytes */
	} member[KBTF_MEMBERS];
};

/*
 * Offsets for each of @want, and in *func_id the type id of function @func; NULL: no function. The first struct of that name that has all
 * the members counts. *missing gets a bit for each optional one that is not there; it may be NULL. 0; -ENOENT: something else is not there;
 * -EBADMSG: no BTF of this machine's byte order, or damaged.
 */
int kbtf_find(const void *p, size_t n, const struct kbtf_want *want, size_t n_want, const char *func,
	      uint32_t *func_id, uint32_t *missing);

/* /sys/kernel/btf/vmlinux in memory: mapped where the kernel can (6.16), else read. */
struct kbtf {
	void *p;			/* NULL: nothing */
	size_t n;
	bool mapped;
};
int kbtf_open(struct kbtf *k);		/* 0 or -errno */
void kbtf_close(struct kbtf *k);
#define KBTF __attribute__((cleanup(kbtf_close))) struct kbtf

#endif
