/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * Copies a few types and those they consist of, with their tags, as raw BTF in @a. Pointers become pointers to void,
 * because their targets are not part of a value. Each of @ids that is not 0 (void) becomes its id in the copy. -EINVAL:
 * an id is not the type of a value.
 */
int btf_subset(const struct btf_types *t, uint32_t *ids, unsigned n_ids, struct arena *a, const void **ret,
	       size_t *ret_n, struct err *e);
