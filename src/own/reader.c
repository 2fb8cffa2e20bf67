/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/reader.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/bpf.h"

static int program_load(struct reader *r, const char *name, int map_fd)
{
	struct bpf_map *map = bpf_object__find_map_by_name(r->obj, name);
	struct bpf_program *prog = bpf_object__next_program(r->obj, NULL);
	int err;

	if (!map || !prog)
		return -ENOENT;
	err = bpf_map__reuse_fd(map, map_fd);
	if (!err)
		err = bpf_object__load(r->obj);
	if (!err)
		r->prog = bpf_program__fd(prog);
	return err;
}

static int shared_map(struct reader *r, size_t bytes)
{
	struct bpf_map *map = bpf_object__find_map_by_name(r->obj, ".bss");
	void *p;

	if (!map || bpf_map__value_size(map) < bytes)
		return -ENOENT;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return -errno;
	r->shared = p;
	r->shared_bytes = bytes;
	return 0;
}

int reader_open(struct reader *r, const char *elf, size_t n, const char *name, int map_fd, size_t bytes)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	int err;

	*r = (struct reader){ .prog = -1 };
	r->obj = bpf_object__open_mem(elf, n, &opts);
	if (!r->obj)
		return -errno;
	err = program_load(r, name, map_fd);
	if (!err)
		err = shared_map(r, bytes);
	if (err)
		reader_close(r);
	return err;
}

int reader_run(const struct reader *r)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)r->prog;
	return sys_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
}

void reader_close(struct reader *r)
{
	if (r->shared)
		munmap(r->shared, r->shared_bytes);
	bpf_object__close(r->obj);
	*r = (struct reader){ .prog = -1 };
}
