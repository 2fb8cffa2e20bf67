/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_READER_H
#define OWN_READER_H

#include <stddef.h>

struct bpf_object;
/*
 * A BPF program of ours (bpf/) that is run to read the kernel's memory for one map, and the global variable that it shares
 * with us. Linux 5.17, CAP_BPF and CAP_PERFMON. Zeroed is closed.
 */
struct reader {
	struct bpf_object *obj;
	int prog;
	void *shared;			/* NULL: closed */
	size_t shared_bytes;
};
/*
 * Load the object file at @elf, with @map_fd, which need not stay open, in the place of its map @name. Its variable has
 * @bytes or more. 0, or -errno, with nothing loaded.
 */
int reader_open(struct reader *r, const char *elf, size_t n, const char *name, int map_fd, size_t bytes);
int reader_run(const struct reader *r);
void reader_close(struct reader *r);

#endif
