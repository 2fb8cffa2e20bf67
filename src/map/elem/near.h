/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

struct value_plan;
/*
 * The type that the user named for the contents of a map that has no types, and its size in bytes: from @from, else
 * from the map's BTF (@map_btf; 0: none) or a program that uses the map. @type NULL: nothing is set. In env->keep, in
 * the form of the output.
 */
int map_type_plan(struct env *env, uint32_t map, uint32_t map_btf, const char *type, const struct types_ref *from,
		  const struct value_plan **ret, uint64_t *ret_size, struct err *e);
