/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_PAGES_H
#define OWN_PAGES_H

#include <stdint.h>

struct kmem;
/* Where the memory of an arena is (BPF_MAP_TYPE_ARENA). */
struct pages_place {
	uint64_t user;		   /* address of its first page for programs and whoever maps it; 0: it has none yet */
	uint64_t kernel;	   /* what belongs to address 0 modulo 4 GiB */
	uint32_t page_size, pages; /* pages: room, not what is there */
};
/* -ENOENT: this kernel's types are not known or others; -EBADMSG: what is there makes no sense. */
int pages_find(const struct kmem *k, struct pages_place *ret);
/* Where page @i is in the kernel. */
static inline uint64_t pages_addr(const struct pages_place *p, uint32_t i)
{
	return p->kernel + (uint32_t)(p->user + (uint64_t)i * p->page_size);
}

#endif
