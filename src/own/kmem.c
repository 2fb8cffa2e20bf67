/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/kmem.h"

#include <errno.h>
#include <string.h>

#include "own/kmem.bpf.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"kmem_elf: .incbin \"src/own/kmem.bpf.o\"\n"
	"kmem_elf_end:\n"
	".popsection\n");
extern const char kmem_elf[], kmem_elf_end[];

_Static_assert(KMEM_PLACES == KMEM_READS, "one limit");

static int run(const struct kmem *k, uint64_t addr, uint64_t step, unsigned size, unsigned count)
{
	k->run->addr = addr;
	k->run->step = step;
	k->run->size = size;
	k->run->count = count;
	return reader_run(&k->reader);
}

int kmem_open(struct kmem *k, int map_fd)
{
	int err;

	*k = (struct kmem){ 0 };
	err = reader_open(&k->reader, kmem_elf, (size_t)(kmem_elf_end - kmem_elf), "subject", map_fd, sizeof(*k->run));
	if (err)
		return err;
	k->run = k->reader.shared;
	err = run(k, 0, 0, 1, 0);
	k->map = k->run->map;
	if (err)
		kmem_close(k);
	return err;
}

void kmem_close(struct kmem *k)
{
	reader_close(&k->reader);
	k->run = NULL;
}

int kmem_read(const struct kmem *k, uint64_t addr, void *ret, size_t n)
{
	char *to = ret;

	while (n) {
		unsigned part = n < KMEM_BYTES ? (unsigned)n : KMEM_BYTES;
		int err = run(k, addr, 0, part, 1);

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
	int err = count > KMEM_READS ? -EINVAL : run(k, addr, step, 1, count);

	for (unsigned i = 0; !err && i < count; i++)
		ret[i] = !k->run->failed[i];
	return err;
}
