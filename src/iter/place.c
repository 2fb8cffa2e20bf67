/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include "cli/records.h"
#include "iter/list.h"
#include "record/field.h"
#include "kernel/hooks.h"

static int place_list(struct env *env, struct records *ret, struct err *e)
{
	const struct iter_link_rec *links;
	uint32_t n, i;
	int err = iter_links(env, NEED_TARGET, &links, &n, e);

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		struct attachment *a = attachment_add(ret, env);

		*a = (struct attachment){
			.where = links[i].target,
			.what = hook_of(HOOK_ITER, 0)->word,
			.prog_id = links[i].prog_id,
			.link_id = links[i].id,
			.map_id = links[i].map_id,
			.cgroup_id = links[i].cgroup_id,
			.detail = links[i].walks,
		};
	}
	return 0;
}

const struct place place_iter = {
	.name = "iter",
	.help = "iterators",
	.list = place_list, /* no attach(): that is `iter pin`, because an iterator needs arguments */
};
