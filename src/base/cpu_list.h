/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Numbers above this are not those of CPUs. */
#define CPU_LIST_MAX 65536u
/*
 * Reads the numbers of a list as the kernel writes it, "0,2-5", ascending, up to the end of the line. Returns how many
 * there are; 0: it is not such a list. *ret, of exactly that many, is freed by the caller, and not set for 0.
 */
size_t cpu_list_read(const char *text, uint32_t **ret);
