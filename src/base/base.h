/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What nearly every file needs: the headers of C, memory, arrays, text, numbers, errors, output. A file includes this
 * one in place of them, or has it from another header of ours.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"

/*
 * Ownership as syntax. A local variable declared with one of these is released when its scope ends; TAKE_FD and
 * TAKE_PTR hand it over and leave the neutral value. File descriptors start at -1, pointers at NULL.
 */
static inline void clean_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
static inline void clean_ptr(void *p)
{
	free(*(void **)p);
}
static inline void clean_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define CLEAN_FD __attribute__((cleanup(clean_fd))) int
#define CLEAN_PTR __attribute__((cleanup(clean_ptr)))
#define CLEAN_FILE __attribute__((cleanup(clean_file))) FILE *

#define TAKE_FD(fd) \
	({ \
		int taken_ = (fd); \
		(fd) = -1; \
		taken_; \
	})
#define TAKE_PTR(p) \
	({ \
		__typeof__(p) taken_ = (p); \
		(p) = NULL; \
		taken_; \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
