/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "cli/command.h"
#include "map/elem/open.h"
#include "kernel/elem.h"

struct pop_opts {
	struct object_ref map;
	bool dry_run;
};

static const struct arg pop_args[] = {
	ONE_MAP_ARG(struct pop_opts, "the queue or stack"),
	ARG("--dry-run", ARG_FLAG, struct pop_opts, dry_run, "show the value without removing it"),
};

static int pop_run(struct env *env, const void *opts, struct err *e)
{
	const struct pop_opts *o = opts;
	struct elem_change change = { 0 };
	unsigned char *elem, *value;
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_POP, &m, e);

	if (err)
		return err;
	elem = map_elem_room(env, &m, &value);
	err = o->dry_run ? elem_lookup(m.fd, NULL, value, 0) : elem_pop(m.fd, NULL, value);
	if (err == -ENOENT)
		return err_set(e, err, "map %u is empty", m.info.id);
	if (err)
		return map_error(&m, err, "remove values", e);
	if (!o->dry_run) {
		map_elem_print(env, &m, elem);
		return 0;
	}
	change.before = elem;
	elem_change_texts(env, &m, &change);
	elem_change_report(env, &m, "would remove from", true, &change);
	return 0;
}

const struct command map_pop = {
	.name = "pop",
	.summary = "remove the next value from a stack and show it",
	ARGS(pop_args, struct pop_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = pop_run,
};

const struct command map_dequeue = {
	.name = "dequeue",
	.summary = "remove the next value from a queue and show it",
	.help = "Same as pop.",
	ARGS(pop_args, struct pop_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = pop_run,
};
