/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/program.bpf.h"

/*
 * Templates of probe.c. Each ends by reading a register that was never written: a verifier that gets there accepts
 * everything before it, and then rejects the program. So nothing is ever loaded.
 */
/* clang-format off */
#define TEMPLATE(name, code) SEC("probe") __attribute__((naked)) int name(void) { __asm__ volatile(code "r0 = r5; exit;"); }
/* clang-format on */

TEMPLATE(probe_nothing, "")
TEMPLATE(probe_call, "call 1;") /* the id is replaced */
TEMPLATE(probe_zero, "r0 = 0;") /* the first instruction is repeated */
TEMPLATE(probe_loop, "r0 = 10; 1: r0 += -1; if r0 != 0 goto 1b;")
TEMPLATE(probe_v2, "r0 = 0; if r0 < 1 goto +0;")
TEMPLATE(probe_v3, "r0 = 0; if w0 < 1 goto +0;")
/* r0 = 0; r0 = (s8)r0; as bytes, because some assemblers do not know it */
TEMPLATE(probe_v4, "r0 = 0; .byte 0xbf, 0x00; .2byte 8; .4byte 0;")
