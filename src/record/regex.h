/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_REGEX_H
#define RECORD_REGEX_H

#include <regex.h>

struct arena;
struct err;
/*
 * Compile a POSIX extended regular expression into the arena. The compilers of C libraries copy what is repeated, so a
 * few bytes can require gigabytes: expressions that expand to more than REGEX_WEIGHT positions are refused, and so are
 * back references and repetitions of what matches the empty string, which take exponential time. 0, or -EINVAL with a
 * message.
 */
#define REGEX_WEIGHT 1024
int regex_compile(regex_t **ret, const char *text, struct arena *a, struct err *e);

#endif
