/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_COUNTS_H
#define OWN_COUNTS_H

struct str;
struct own;
/*
 * How many elements are in each map whose kernel keeps count: hashes of all sorts (6.6), LPM tries, queues and stacks.
 * One pass over all maps by an iterator program (5.8), which reads no element. Appends "ID COUNT\n" for each. 0 or
 * -errno, as own_load().
 */
int counts_collect(struct own *own, struct str *ret);

#endif
