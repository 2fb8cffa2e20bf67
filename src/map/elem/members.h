/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

/*
 * Completion: members of the keys and values of the map at the beginning of the command's words, for filters, --sort,
 * --format and paths; without `key.` and `value.` if only one of the two has the member.
 */
arg_offers members_offer_filter, members_offer_sort, members_offer_format, members_offer_path, members_offer_columns;
/* "MEMBER=" of the map's key, or of its value. */
void members_offer_assignments(struct env *env, const struct object_ref *map, bool value, arg_offer *offer, void *ctx);
/* The keys of the map's first elements, in the words that are accepted after `key`. */
void members_offer_keys(struct env *env, const struct object_ref *map, arg_offer *offer, void *ctx);
