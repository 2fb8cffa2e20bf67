/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "bytes_file.h"
#include "base/base.h"
#include "host/elf/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as a program with probes: what is found is in the file, and each text of arguments ends. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA a = arena_new();
	int fd = bytes_file(data, size), err;
	struct usdt_file f;

	err = usdt_read(&f, fd, a);
	for (size_t i = 0; !err && i < f.n; i++) {
		const char *text = f.probes[i].args;
		struct usdt_arg arg;

		if (!*f.probes[i].provider || !*f.probes[i].name)
			abort();
		while (usdt_arg_next(&text, &arg, a))
			if (strlen(arg.where) > size)
				abort();
	}
	close(fd);
	return 0;
}
