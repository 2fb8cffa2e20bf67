/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_SUBSET_H
#define BTF_SUBSET_H

#include <stddef.h>
#include <stdint.h>

struct btf_types;
struct arena;
struct err;
/*
 * A few types and what they are made of, with their tags, as raw BTF of its own, in @a. Pointers point to void: what
 * they lead to is no part of a value. Each of @ids that is not 0 (void) becomes its id there. -EINVAL: one is no type
 * of a value.
 */
int btf_subset(const struct btf_types *t, uint32_t *ids, unsigned n_ids, struct arena *a, const void **ret,
	       size_t *ret_n, struct err *e);

#endif
