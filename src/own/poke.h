/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct own;
/*
 * Change machine code: fill the slot of a prog_array to which a program of ours jumps, to see whether the kernel
 * announces it. Both are gone afterwards. 0 or -errno.
 */
int own_poke(struct own *own);
