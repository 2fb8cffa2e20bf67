/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_MEMBERS_H
#define MAP_ELEM_MEMBERS_H

#include "cli/command.h"

/*
 * Completion: members of the keys and values of the map that the command's words begin with, as a filter, a sort,
 * --format and a path name them: without `key.` and `value.` where only one of the two has them.
 */
arg_offers members_offer_filter, members_offer_sort, members_offer_format, members_offer_path, members_offer_columns;
/* "MEMBER=" of its key, or of its value. */
void members_offer_assignments(struct env *env, const struct object_ref *map, bool value, arg_offer *offer, void *ctx);
/* The keys of its first elements, in the words that stand for one behind `key`. */
void members_offer_keys(struct env *env, const struct object_ref *map, arg_offer *offer, void *ctx);

#endif
