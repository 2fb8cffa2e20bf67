/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_ANNOTATE_H
#define PROG_ANNOTATE_H

struct env;
struct err;
/*
 * Standard input, a line at a time and as soon as it comes, to the output: below a line that names places in BPF
 * programs what they are; in JSON the records of those places and nothing else. Lines may be of any length and hold any
 * bytes; a terminal sees no control characters. -ENOENT if there were BPF symbols and none is of a program that is
 * loaded.
 */
int annotate_run(struct env *env, struct err *e);

#endif
