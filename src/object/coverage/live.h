/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct cfg;
/*
 * Which registers of a function may still be read when a block begins, a bit for each, by block: all others can be
 * overwritten there. @args: by slot, how many arguments a call has; NULL: without registers that instructions read but
 * do not name (insn_regs()). False: its control flow is too complex.
 */
bool live_blocks(const unsigned char *code, const struct cfg *c, const uint8_t *args, uint16_t *ret);
