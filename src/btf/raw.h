/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
struct doc;
/*
 * Writes one type as `btf dump` prints it: an entry of lines, or an object; each kind is described once for both. Id 0
 * and ids that do not exist are UNKNOWN.
 */
void raw_write(const struct btf_types *t, uint32_t id, struct doc *d);
