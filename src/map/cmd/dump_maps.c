/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/cmd/dump_maps.h"

#include "cli/env.h"
#include "cli/select.h"
#include "map/elem/query_names.h"
#include "map/elem/walk.h"
#include "map/map.h"

int dump_maps_read(struct env *env, struct selection *sel, struct map_rec *recs, size_t *ret_n, struct err *e)
{
	size_t i, found = 0;

	for (i = 0; i < sel->n; i++) {
		struct err why = { 0 };
		int err = map_read(env, env->arena, sel->ids[i], 0, &recs[found], &why);

		if (!err) {
			found++;
		} else if (!selection_several(sel)) {
			*e = why;
			return err;
		} else if (err == -ENOENT) {
			selection_note_gone(env, sel, sel->ids[i]);
		} else {
			report_unread(env->report, &why);
		}
	}
	if (!found) {
		selection_end(sel, e);
		return err_set(e, -ENOENT, "the maps no longer exist");
	}
	*ret_n = found;
	return 0;
}

bool dump_maps_are_typed(struct env *env, const struct map_rec *recs, size_t n)
{
	const struct btf_types *t;
	struct err why = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		if (!walk_has_types(&recs[i].info))
			return false;
	for (i = 0; i < n; i++) {
		if (walk_btf(env, &recs[i].info, &t, &why)) {
			report_unread(env->report, &why);
			return false;
		}
	}
	return true;
}

static int id_cmp(const void *pa, const void *pb)
{
	const struct map_rec *a = pa, *b = pb;

	return NUM_CMP(a->info.id, b->info.id);
}

static int id_cmp_descending(const void *pa, const void *pb)
{
	return id_cmp(pb, pa);
}

void dump_maps_sort(struct map_rec *recs, size_t n, const char *sort)
{
	const bool descending = sort && *sort == '-';

	if (n && sort && names_row(&(struct query_names){ 0 }, sort + descending) == ROW_MAP)
		qsort(recs, n, sizeof(*recs), descending ? id_cmp_descending : id_cmp);
}
