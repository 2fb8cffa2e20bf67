/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/types_ref.h"
#include "map/elem/print.h"

struct abi_map_info;
/* The types that the user says the elements of a map have, in place of those that it has, if any. */
struct assumed_opts {
	const char *key, *value; /* NULL: not named */
	struct types_ref from;
};
/* Rows of a table of arguments; @T has the struct assumed_opts as member @m. */
#define ASSUMED_ARGS(T, m, from_help) \
	ARG("key_type", ARG_STR, T, m.key, "type of the keys, if the map has none or a wrong one", .metavar = "TYPE", \
	    .offers = btf_offer_types), \
		ARG("value_type", ARG_STR, T, m.value, "type of the values", .metavar = "TYPE", \
		    .offers = btf_offer_types), \
		ARG("from", ARG_TYPES, T, m.from, from_help)
#define ASSUMED_FROM "source of these types; alone: that declares a map of this name, with its types"

static inline bool assumed_are_asked(const struct assumed_opts *o)
{
	return o->key || o->value || o->from.by != TYPES_NONE;
}
/*
 * Replaces the plans of a form with its view by those of the assumed types, if any are asked for; a part without one
 * keeps its plan. -ENOENT, -EINVAL: there is no such type or map, or its size or byte order is not that of the
 * elements.
 */
int assumed_form(struct env *env, const struct abi_map_info *info, const struct assumed_opts *o, enum value_form form,
		 struct elem_form *ret, struct arena *a, struct err *e);
/*
 * The first type of that name. @what: "key" or "value"; *size: bytes that it must have; 0: any, and set. -ENOENT,
 * -EINVAL.
 */
int assumed_find(struct env *env, const struct btf_types *t, const char *name, const char *what, uint32_t *size,
		 uint32_t *ret, struct err *e);
