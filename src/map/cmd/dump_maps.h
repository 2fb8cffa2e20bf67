/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct map_rec;
struct selection;
/*
 * Reads the selected maps into @recs, which has room for all. Of several maps, those that have gone are left out and
 * those that cannot be read are noted; -ENOENT: none is left.
 */
int dump_maps_read(struct env *env, struct selection *sel, struct map_rec *recs, size_t *ret_n, struct err *e);
/*
 * Do all maps have types? As in bpftool, if one has none, the elements of all are bytes. Types that cannot be read are
 * noted.
 */
bool dump_maps_are_typed(struct env *env, const struct map_rec *recs, size_t n);
/* --sort map_id: the order of the maps; any other @sort, or NULL, leaves it. */
void dump_maps_sort(struct map_rec *recs, size_t n, const char *sort);
