/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "bytes_file.h"
#include "host/elf/func.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as the executable that a uprobe is in: a function that is found by its offset has that offset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = bytes_file(data, size), err;
	struct elf_funcs *funcs = NULL;

	err = elf_funcs_read(&funcs, fd);
	if ((err == 0) != (funcs != NULL))
		abort();
	for (uint64_t at = 0; funcs && at <= size; at += 1 + size / 512) {
		const struct elf_func *f = elf_funcs_at(funcs, at);
		struct elf_func named;

		if (!f)
			continue;
		if (f->offset > at || (f->size && at - f->offset >= f->size))
			abort();
		err = elf_funcs_find_named(funcs, f->name, &named);
		if (err ? err != -ENOTUNIQ : strcmp(named.name, f->name))
			abort();
	}
	elf_funcs_free(&funcs);
	close(fd);
	return 0;
}
