/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * The types of an object file with one more data section, @section, of one static variable: unsigned long long
 * name[n]. All types and strings keep their numbers and offsets. Raw BTF in @a. 0 or -errno.
 */
int btf_add_counters(const struct btf_types *t, const char *section, const char *name, uint32_t n, struct arena *a,
		     const void **ret, size_t *ret_n, struct err *e);
