/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel refuses the last one, which has the name of the one before. */
#define A "lensreg_a"
#define B "lensreg_b"
#define C "lensreg_b"
#include "cc.bpf.c"
