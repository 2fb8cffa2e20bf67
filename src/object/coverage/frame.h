/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct cfg;
/*
 * Bytes of stack that a function uses, by the lowest constant offset from the frame pointer, rounded up to 8; more than
 * FRAME_MAX: it cannot be told. @live: of live_blocks().
 */
#define FRAME_MAX 512u
uint32_t frame_size(const unsigned char *code, const struct cfg *c, const uint16_t *live);
