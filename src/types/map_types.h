/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_types;
/*
 * The types of a map that BTF declares under its name: as the definition in section .maps does, or struct
 * ____btf_map_NAME { KEY key; VALUE value; } (BPF_ANNOTATE_KV_PAIR) for loaders that know no such section.
 */
struct map_types {
	const char *name;    /* of the variable, not truncated */
	uint32_t key, value; /* ids of types; 0: not declared, only a size */
};
/* All of them, definitions first, in the arena. */
void btf_maps_find(const struct btf_types *t, struct arena *a, const struct map_types **ret, size_t *ret_n);
/* The type that pointer @id points to; 0: not a pointer, or to void. */
uint32_t btf_pointed_to(const struct btf_types *t, uint32_t id);
