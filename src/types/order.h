/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * The ids of its own types that C code can define, in an order that does not depend on ids: unnamed enums (by their
 * first enumerator), named enums, numbers, structs and unions, then all others; each by the name of the type that they
 * refer to, then by their own name. So similar kernels give similar files.
 */
const uint32_t *order_by_name(const struct btf_types *t, struct arena *a, size_t *ret_n);
