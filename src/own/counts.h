/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct str;
struct own;
/*
 * Append "ID COUNT\n", the number of elements, for each map that the kernel counts: hashes of all types (since Linux
 * 6.6), LPM tries, queues and stacks. An iterator program (since 5.8) walks all maps once and reads no elements. 0 or
 * -errno, as own_load().
 */
int counts_collect(struct own *own, struct str *ret);
