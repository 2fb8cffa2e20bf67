/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/keys.h"

struct look;
/*
 * The programs that a machine may run, as text: a line for each with type, tag (16 hex digits) and name ("-": none),
 * separated by blanks; blanks in a name are escaped as in /proc/mounts. Empty lines and lines that begin with # are
 * ignored.
 */
struct baseline {
	struct keys programs;
};
/* 0, or -EINVAL with a message that names the line. @text is modified and must outlive @ret; the rest is in the arena.
 */
int baseline_parse(struct baseline *ret, char *text, const char *path, struct arena *a, struct err *e);
int baseline_read(struct baseline *ret, const char *path, struct arena *a, struct err *e);
/* The line of a program, in the arena. @name NULL: no name. */
const char *baseline_line(const char *type, const uint8_t tag[8], const char *name, struct arena *a);

/* Adds a finding for each program that is not in the baseline, and drops findings about what programs in it do. */
void baseline_compare(struct look *l, const struct baseline *b);
/* Writes all programs, each line once, to a new file of mode 0600. If a program could not be read, fails and writes
 * nothing. */
int baseline_write(struct look *l, const char *path, struct err *e);
