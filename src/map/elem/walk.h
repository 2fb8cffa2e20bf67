/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "map/elem/print.h"
#include "source/elems.h"

/* Reading of a map's elements, a batch at a time. Walks may be nested. */
struct walk {
	struct env *env;
	const struct abi_map_info *info;
	struct elem_form form; /* without types, until walk_types() */
	struct elems batch;
	unsigned flags;	     /* enum elems_flags of all batches so far */
	struct arena *arena; /* of a batch; ends with env->arena */
};
/* For commands that read a map repeatedly: -EINVAL for an archive, whose maps do not change. */
int walk_again(const struct env *env, const char *word, struct err *e);
bool walk_has_types(const struct abi_map_info *info);
/* The BTF with the types of its keys and values. */
int walk_btf(struct env *env, const struct abi_map_info *info, const struct btf_types **ret, struct err *e);
/* Sets the plans of its types, if it has any, in arena @a. -errno: they cannot be read; the form is unchanged. */
int walk_form(struct env *env, const struct abi_map_info *info, enum value_form form, struct elem_form *ret,
	      struct arena *a, struct err *e);

void walk_init(struct walk *w, struct env *env, const struct abi_map_info *info);
/* The same; types that cannot be read are counted as unread, and bytes are shown. */
void walk_types(struct walk *w, enum value_form form, struct arena *a);
/* Reads the first batch, so that an error is found before anything is printed. */
int walk_begin(struct walk *w, struct err *e);
/*
 * Passes each element to fn() until it returns false, or the end. Notes changes during the walk. What fn() allocates in
 * env->arena is freed after each batch.
 */
typedef bool walk_fn(void *ctx, const unsigned char *key, int err);
int walk_each(struct walk *w, walk_fn *fn, void *ctx, struct err *e);
