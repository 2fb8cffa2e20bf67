/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_KMEM_H
#define OWN_KMEM_H

#include <stddef.h>
#include <stdint.h>
#include "own/own.h"

/*
 * The kernel's memory, read by a BPF program for what bpf(2) does not tell of a map. Nothing is locked: what is read
 * may be freed and be something else by then, so every address, length and text has to be doubted. Zeroed is closed.
 */
struct kmem_run;
struct kmem {
	struct own_loaded loaded;
	struct kmem_run *run; /* NULL: closed */
	uint64_t map;	      /* where the map's struct bpf_map is */
};
/* @map_fd -1: for no map. 0, or -errno, as own_load(). */
int kmem_open(struct kmem *k, struct own *own, int map_fd);
void kmem_close(struct kmem *k);
/* 0; -EFAULT: some of it is not there, and @ret from there on, by pieces of 64 KiB, as it was. */
int kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n);
/* Which of @count places, @step bytes from one to the next, can be read: ret[i] 1 or 0. */
int kmem_there(const struct kmem *k, uint64_t addr, uint64_t step, unsigned count, unsigned char *ret);

#endif
