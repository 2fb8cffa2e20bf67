/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_LOADER_H
#define KERNEL_LOADER_H

#include <stdint.h>

/*
 * A program of type syscall (5.14) that makes the maps of an object and loads its programs, as libbpf writes it, and the contents
 * of the map that it works on. The bytes are not owned.
 */
struct loader {
	const void *data, *insns;
	uint32_t data_size, insns_size;
};
enum loader_step { LOADER_MAP, LOADER_LOAD, LOADER_RUN };
/*
 * Load and run it once; it is gone afterwards. @ctx: its argument, which it reads and fills, at most 64 KiB. 0, or -errno and the
 * step that failed; for LOADER_RUN that is what it could not do, and it has left nothing.
 */
int loader_run(const struct loader *l, void *ctx, uint32_t ctx_size, enum loader_step *ret_step);

#endif
