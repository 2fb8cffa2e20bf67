/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct kmem;
/* The addresses of the memory of an arena (BPF_MAP_TYPE_ARENA). */
struct pages_place {
	uint64_t user;		   /* address of its first page for programs and processes; 0: none yet */
	uint64_t kernel;	   /* kernel address of user address 0 modulo 4 GiB */
	uint32_t page_size, pages; /* pages: maximum, not those allocated */
};
/* 0 or -errno; -ENOENT: this kernel's types are unknown or differ; -EBADMSG: the values make no sense. */
int pages_find(const struct kmem *k, struct pages_place *ret);
/* Kernel address of page @i. */
static inline uint64_t pages_addr(const struct pages_place *p, uint32_t i)
{
	return p->kernel + (uint32_t)(p->user + (uint64_t)i * p->page_size);
}
