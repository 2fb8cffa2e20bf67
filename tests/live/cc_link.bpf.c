/* SPDX-License-Identifier: BSD-2-Clause */
/* With a link. */
#define B "lensreg_b"
#include "cc.bpf.c"
