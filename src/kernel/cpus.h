/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The possible CPUs, ascending: a per-CPU map has a value for each of them in this order. Their numbers may have holes.
 * Returns how many there are, or -errno; *ret is freed by the caller.
 */
int cpus_possible(uint32_t **ret);
