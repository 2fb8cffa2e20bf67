/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * Writes types as a C header: those of @ids and their dependencies, in the order of @ids. @ids NULL: all types, ordered
 * by name (@unsorted: by id), and the prototypes of the kernel functions that BPF programs may call. Types that cannot
 * be written are found before anything is printed. -ELOOP, -E2BIG, -EINVAL (nesting.h).
 */
int c_syntax(const struct btf_types *t, const uint32_t *ids, size_t n, bool unsorted, struct out *o, struct err *e);
