/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * Merges several split BTFs with the same base; equal types are kept once (libbpf's btf__dedup). The caller owns *ret,
 * which needs @base. -ELOOP, -E2BIG (nesting.h), -EOVERFLOW: too many ids or strings.
 */
int btf_merge(struct btf_types **ret, const struct btf_types *base, struct btf_types *const *parts, size_t n,
	      struct err *e);
