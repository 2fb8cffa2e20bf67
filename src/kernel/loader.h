/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_LOADER_H
#define KERNEL_LOADER_H

#include <stdint.h>

/*
 * A program of type syscall (5.14) that makes the maps of an object and loads its programs, as libbpf writes it, and
 * the contents of the map that it works on. The bytes are not owned.
 */
struct loader {
	const void *data, *insns;
	uint32_t data_size, insns_size;
};
/*
 * Its argument, as libbpf lays it out (bpf/skel_internal.h, which headers of older kernels do not compile with): this,
 * a struct loader_map for each map and a struct loader_prog for each program that is loaded.
 */
struct loader_ctx {
	uint32_t size, flags;	      /* size: of all */
	uint32_t log_level, log_size; /* the verifier's log of the loader and each program, one over the other */
	uint64_t log_buf;
};
struct loader_map {
	int fd;
	uint32_t max_entries;
	uint64_t initial_value;
}; /* 0: the object's own */
struct loader_prog {
	int fd;
};
/*
 * A signature (PKCS#7) over the instructions, and the hash (SHA-256) of them, by which the map with the data is theirs
 * alone: the kernel checks both (6.18). @cert, DER, goes into a keyring that only this process has. NULL where there is
 * none.
 */
struct loader_signature {
	const void *cms, *cert;
	uint32_t cms_size, cert_size;
	unsigned char hash[32];
};
enum loader_step { LOADER_KEY, LOADER_MAP, LOADER_LOAD, LOADER_RUN };
/*
 * Load and run it once; it is gone afterwards. @ctx, at most 64 KiB: it reads it and fills in descriptors. 0, or -errno
 * and the step that failed; for LOADER_RUN that is what it could not do, and it has left nothing.
 */
int loader_run(const struct loader *l, const struct loader_signature *s, struct loader_ctx *ctx,
	       enum loader_step *ret_step);

#endif
