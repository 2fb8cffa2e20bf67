/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * A file that is read at any offset. A pipe, a terminal or a device is first copied to an unnamed file in $TMPDIR,
 * /var/tmp or /tmp, or in memory if none of these allows one.
 */
struct input {
	int fd; /* -1: bytes in memory */
	const unsigned char *mem;
	uint64_t size; /* bytes; for a file, when it was opened */
};
#define INPUT_NONE ((struct input){ .fd = -1 })

/*
 * @path "-": standard input. A pipe may have at most @max bytes (-EFBIG); it is read no further than INPUT_HEAD bytes
 * if
 * @begins says that no file of the kind begins with them. 0, or -errno with a sentence that names the path.
 */
#define INPUT_HEAD 512
typedef bool input_begins(const void *head);
int input_open(struct input *ret, const char *path, uint64_t max, input_begins *begins, struct err *e);
/* An empty unnamed file, to be filled by input_append(). 0 or -errno. */
int input_temp(struct input *ret);
int input_append(struct input *in, const void *p, size_t n); /* 0 or -errno */
/* Reads @n bytes from @off, or up to the end; returns their number, or -errno. */
ssize_t input_read(const struct input *in, uint64_t off, void *buf, size_t n);
void input_close(struct input *in); /* INPUT_NONE is allowed */
