/* SPDX-License-Identifier: BSD-2-Clause */
/* Without a link. */
#define A "lensreg_a"
#include "cc.bpf.c"
