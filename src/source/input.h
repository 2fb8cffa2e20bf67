/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_INPUT_H
#define SOURCE_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
/*
 * A file that is read at any offset. A pipe, a terminal or a device is first copied to a file without a name, in
 * $TMPDIR, /var/tmp or /tmp, or in memory where none of them takes one.
 */
struct input {
	int fd; /* -1: bytes in memory */
	const unsigned char *mem;
	uint64_t size; /* bytes; of a file: when it was opened */
};
#define INPUT_NONE ((struct input){ .fd = -1 })

/* @path "-": standard input. A pipe may hold @max bytes (-EFBIG). Else 0, or -errno with a sentence that names the
 * path. */
int input_open(struct input *ret, const char *path, uint64_t max, struct err *e);
/* An empty file without a name, to be filled by input_append(). 0 or -errno. */
int input_temp(struct input *ret);
int input_append(struct input *in, const void *p, size_t n); /* 0 or -errno */
/* The bytes from @off on, @n or as many as there are; -errno. */
ssize_t input_read(const struct input *in, uint64_t off, void *buf, size_t n);
void input_close(struct input *in); /* INPUT_NONE is fine */

#endif
