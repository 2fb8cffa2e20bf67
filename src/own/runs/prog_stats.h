/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/runs/prog_stats.bpf.h"

struct str;
struct own;
/*
 * What the kernel has counted of each program, by one walk in place of three system calls a program. Returns the
 * descriptor of an iterator's link, or -errno: -ENOENT: a kernel before 5.18, or CPUs without consecutive numbers.
 */
int prog_stats_open(struct own *own);
/* Append the records of type struct prog_stats, by ascending id. 0, or -errno with @ret unchanged. */
int prog_stats_read(int link, struct str *ret);
