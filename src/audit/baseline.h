/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef AUDIT_BASELINE_H
#define AUDIT_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/keys.h"

struct arena;
struct err;
struct look;
struct str;
/*
 * The programs that a machine may run, as text: a line for each, its type, tag (16 hex digits) and name, "-": it has
 * none, with blanks between them; blanks in a name as in /proc/mounts. Empty lines and those that begin with # say
 * nothing.
 */
struct baseline {
	struct keys programs;
};
/* 0, or -EINVAL with a sentence that names the line. @text is changed and must stay; the rest is in the arena. */
int baseline_parse(struct baseline *ret, char *text, const char *path, struct arena *a, struct err *e);
int baseline_read(struct baseline *ret, const char *path, struct arena *a, struct err *e);
/* Its line; in the arena. @name NULL: it has none. */
const char *baseline_line(const char *type, const uint8_t tag[8], const char *name, struct arena *a);

/* A finding for each program that is not in it; of those that are, what they do is none. */
void baseline_compare(struct look *l, const struct baseline *b);
/* All programs, each line once, as a new file of mode 0600. Fails where one could not be read: then nothing is written.
 */
int baseline_write(struct look *l, const char *path, struct err *e);

#endif
