/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct sock_filter;
/* Append an instruction of a classic filter as `tcpdump -d` prints it, with jumps to numbers of instructions; @at: its
 * own number. */
void classic_print(const struct sock_filter *f, unsigned at, struct str *ret);
