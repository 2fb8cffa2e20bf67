/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_WALK_H
#define MAP_ELEM_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include "map/elem/print.h"
#include "source/elems.h"

struct env;
struct err;
/* A map's elements as they are read: one batch at a time, in env->arena behind mark. Walks may be nested. */
struct walk {
	struct env *env;
	const struct abi_map_info *info;
	struct elem_form form; /* without types, until walk_types() */
	struct elems batch;
	unsigned flags; /* enum elems_flags of all batches so far */
	size_t mark;
};
/* The sentence for contents that an archive does not have; -ENODATA. */
int map_unsaved(uint32_t id, struct err *e);
/* For commands that look again and again: -EINVAL for an archive, whose maps do not change. */
int walk_again(const struct env *env, const char *word, struct err *e);
bool walk_has_types(const struct abi_map_info *info);
/* Where the types of its keys and values are. */
struct btf_types;
int walk_btf(struct env *env, const struct abi_map_info *info, const struct btf_types **ret, struct err *e);
/* The plans of its types, if it has any, into arena @a; they cannot be read: -errno, and the form is as it was. */
int walk_form(struct env *env, const struct abi_map_info *info, enum value_form form, struct elem_form *ret,
	      struct arena *a, struct err *e);

void walk_init(struct walk *w, struct env *env, const struct abi_map_info *info);
/* Types that cannot be read are no reason to keep the bytes back: they are counted as unread. */
void walk_types(struct walk *w, enum value_form form, struct arena *a);
/* Read the first batch, so that what fails fails before anything is printed. */
int walk_begin(struct walk *w, struct err *e);
/* Each element to fn() until it returns false, or the end. Tells the user of changes under the walk. */
typedef bool walk_fn(void *ctx, const unsigned char *key, int err);
int walk_each(struct walk *w, walk_fn *fn, void *ctx, struct err *e);

#endif
