/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/kmem.h"

#include <linux/bpf.h>

#include "own/bpf/kmem.bpf.h"

#include "own/bpf/kmem.bpf.inc"
static const struct own_program program = OWN_PROGRAM(kmem);

static int kmem_program_run(const struct kmem *k, uint64_t addr, uint64_t step, unsigned size, unsigned count)
{
	k->run->addr = addr;
	k->run->step = step;
	k->run->size = size;
	k->run->count = count;
	return own_run(&k->loaded, NULL, 0, NULL);
}

int kmem_open(struct kmem *k, struct own *own, int map_fd)
{
	CLEAN_FD none = -1;
	int err;

	*k = (struct kmem){ 0 };
	/* The program refers to a map, so it needs one. */
	if (map_fd < 0)
		none = map_fd =
			own_map(own, &(const struct own_map_wish){ "bpflens.none", BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0 });
	if (map_fd < 0)
		return map_fd;
	err = own_load(own, &program, NULL, map_fd, &k->loaded);
	if (err)
		return err;
	k->run = k->loaded.shared;
	err = kmem_program_run(k, 0, 0, 1, 0);
	k->map = k->run->map;
	if (err)
		kmem_close(k);
	return err;
}

void kmem_close(struct kmem *k)
{
	own_close(&k->loaded);
	k->run = NULL;
}

int kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n)
{
	char *to = ret;

	while (n) {
		unsigned part = n < KMEM_BYTES ? (unsigned)n : KMEM_BYTES;
		int err = kmem_program_run(k, addr, 0, part, 1);

		if (err || k->run->failed[0])
			return err ? err : -EFAULT;
		memcpy(to, k->run->bytes, part);
		to += part;
		addr += part;
		n -= part;
	}
	return 0;
}

int kmem_there(const struct kmem *k, uint64_t addr, uint64_t step, unsigned count, unsigned char *ret)
{
	int err = 0;

	for (unsigned from = 0, n; !err && from < count; from += n) {
		n = count - from < KMEM_READS ? count - from : KMEM_READS;
		err = kmem_program_run(k, addr + from * step, step, 1, n);
		for (unsigned i = 0; !err && i < n; i++)
			ret[from + i] = !k->run->failed[i];
	}
	return err;
}
