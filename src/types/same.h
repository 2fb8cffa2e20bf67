/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * Do values of the two types have the same meaning in each of their bytes: are their members, or the variables of a
 * section, at the same places, with the same names and types? What pointers point to, and the names of types and
 * enumerators, are not compared.
 */
bool btf_is_same(const struct btf_types *a, uint32_t a_id, const struct btf_types *b, uint32_t b_id);
