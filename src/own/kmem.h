/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "own/own.h"

/*
 * Kernel memory, read by a BPF program for facts about a map that bpf(2) does not report. Nothing is locked, and memory
 * may have been freed and used again, so check every address, length and text. A zeroed struct is closed.
 */
struct kmem_run;
struct kmem {
	struct own_loaded loaded;
	struct kmem_run *run; /* NULL: closed */
	uint64_t map;	      /* address of the map's struct bpf_map */
};
/* @map_fd -1: without a map. 0, or -errno as own_load(). */
int kmem_open(struct kmem *k, struct own *own, int map_fd);
void kmem_close(struct kmem *k);
/* Read @n bytes. 0; -EFAULT: some bytes cannot be read, then @ret is unchanged from the 64 KiB piece that has them. */
int kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n);
/* Set ret[i] to 1 if the byte at @addr + i * @step can be read, else to 0, for @count bytes. */
int kmem_there(const struct kmem *k, uint64_t addr, uint64_t step, unsigned count, unsigned char *ret);
