/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"
#include "btf/cmd/commands.h"
#include "types/layout.h"
#include "types/types_ref.h"
#include "cli/records.h"

struct sizes_opts {
	struct types_ref from;
	struct records_opts records;
};
static const struct arg sizes_args[] = {
	FROM_ARG(struct sizes_opts, from),
	RECORDS_ARGS(struct sizes_opts, records),
};

/* Every struct and union with a name, also that of a typedef. */
static int sizes_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct sizes_opts *o = opts;
	const struct btf_types *t;
	struct layouts ls;
	struct layout *l;
	uint32_t id;
	int err = btf_types_get(env, &o->from, &t, e);

	if (err)
		return err;
	btf_types_whole(env, t);
	layouts_init(&ls, t, env->keep);
	for (id = 1; id < btf_count(t); id++) {
		if (!layout_struct(t, id))
			continue;
		l = records_add(ret, env);
		layout_sum(&ls, id, l);
		l->name = btf_name(t, id);
		l->id = id;
	}
	return 0;
}

const struct command btf_cmd_sizes = {
	.name = "sizes",
	.summary = "list size, members, holes and padding of every struct and union",
	.help = "Prints a line for each struct and union with a name; those that only have the name of a typedef are listed by its name and number.",
	.example = "btf sizes from map name counters --sort -size",
	.schema = &sizes_schema,
	ARGS(sizes_args, struct sizes_opts),
	.flags = CMD_READ | CMD_OURS,
	COLLECT(sizes_collect, struct sizes_opts),
};
