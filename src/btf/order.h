/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_ORDER_H
#define BTF_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct btf_types;
struct arena;
/*
 * The ids of the types of its own that C code can define, in an order that does not depend on the ids: unnamed enums
 * (by their first enumerator), named enums, numbers, structs and unions, then the rest; each by the name of the type
 * that is referred to, then by their own. So two kernels that differ little give two files that differ little.
 */
const uint32_t *order_by_name(const struct btf_types *t, struct arena *a, size_t *ret_n);

#endif
