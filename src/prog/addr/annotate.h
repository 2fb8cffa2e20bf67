/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct env;
struct err;
/*
 * Copies standard input to the output, each line as soon as it arrives. After a line with addresses or symbols of BPF
 * programs, prints notes that describe them. In JSON, prints only the records of those addresses. Lines can be of any
 * length and contain any bytes; control characters are not written to a terminal. -ENOENT if there were BPF symbols,
 * but none of a loaded program.
 */
int annotate_run(struct env *env, struct err *e);
