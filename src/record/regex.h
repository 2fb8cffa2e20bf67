/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_REGEX_H
#define RECORD_REGEX_H

#include <regex.h>

struct arena;
struct err;
/*
 * Compile a POSIX extended regular expression into the arena. The C library's compilers copy what is repeated, so a
 * few bytes can ask for gigabytes: expressions that unfold to more than REGEX_WEIGHT places are refused, and so are
 * back references, which take exponential time.
 */
#define REGEX_WEIGHT 1024
int regex_compile(regex_t **ret, const char *text, struct arena *a, struct err *e);

#endif
