/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_MERGE_H
#define BTF_MERGE_H

#include <stddef.h>

struct btf_types;
struct err;
/*
 * Several split BTFs on one base become one, in which types that mean the same are there once (libbpf's btf__dedup).
 * *ret is the caller's and needs @base. -ELOOP, -E2BIG (nesting.h), -EOVERFLOW: ids or strings are too many.
 */
int btf_merge(struct btf_types **ret, const struct btf_types *base, struct btf_types *const *parts, size_t n,
	      struct err *e);

#endif
