/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "cli/change.h"
#include "cli/command.h"
#include "map/elem/open.h"
#include "kernel/elem.h"

struct freeze_opts {
	struct object_ref map;
	bool dry_run;
};

static const struct arg freeze_args[] = {
	ONE_MAP_ARG(struct freeze_opts, "the map"),
	ARG("--dry-run", ARG_FLAG, struct freeze_opts, dry_run, "print what would be frozen, and change nothing"),
};

static int freeze_run(struct env *env, const void *opts, struct err *e)
{
	const struct freeze_opts *o = opts;
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_FREEZE, &m, e);

	if (err)
		return err;
	err = o->dry_run ? 0 : map_freeze(m.fd);
	if (err)
		return err_sys(e, err, "map %u cannot be frozen", m.info.id);
	change_report(env, &(struct change_rec){
				   .sentence = SENTENCE_OBJECT,
				   .action = o->dry_run ? "would freeze" : "froze",
				   .kind = kind_map.name,
				   .id = m.info.id,
				   .dry_run = o->dry_run,
			   });
	return 0;
}

const struct command map_freeze_command = {
	.name = "freeze",
	.summary = "make a map read-only for user space",
	.help = "Programs can still write to it. This cannot be undone.",
	.schema = &change_schema,
	ARGS(freeze_args, struct freeze_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = freeze_run,
};
