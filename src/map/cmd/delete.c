/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "cli/change.h"
#include "cli/command.h"
#include "map/elem/open.h"
#include "map/elem/query.h"
#include "map/elem/elem_args.h"
#include "kernel/elem.h"

struct delete_opts {
	struct object_ref map;
	struct arg_list words;
	struct arg_list format;
	bool exact;
	bool dry_run;
};

static const struct arg delete_args[] = {
	ONE_MAP_ARG(struct delete_opts, "the map"),
	ARG("--dry-run", ARG_FLAG, struct delete_opts, dry_run,
	    "print the element that would be deleted, and change nothing"),
	FORMAT_ARG(struct delete_opts, format),
	EXACT_ARG(struct delete_opts, exact),
	ARG("key DATA", ARG_REST, struct delete_opts, words, "its key", .flags = ARG_REQUIRED,
	    .offers = elem_args_offer_key),
};

static int delete_run(struct env *env, const void *opts, struct err *e)
{
	const struct delete_opts *o = opts;
	unsigned char *elem, *value;
	struct elem_change change = { 0 };
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_DELETE, &m, e);

	if (!err)
		err = map_open_formats(env, &m, &o->format, o->exact, e);
	if (err)
		return err;
	elem = map_elem_room(env, &m, &value);
	err = elem_args_key_only(&m, &o->words, elem, e);
	if (err)
		return err;
	err = o->dry_run || change_is_reported(env) ? elem_lookup(m.fd, elem, value, 0) : 0;
	if (!err && (o->dry_run || change_is_reported(env))) {
		change.before = elem;
		elem_change_texts(env, &m, &change);
	}
	err = o->dry_run ? err : elem_delete(m.fd, elem);
	if (err)
		return map_error(&m, err, o->dry_run ? "look up elements" : "delete elements", e);
	elem_change_report(env, &m, o->dry_run ? "would delete from" : "deleted from", o->dry_run, &change);
	return 0;
}

const struct command map_delete = {
	.name = "delete",
	.summary = "delete an element of a map",
	.help = "For DATA, see update.",
	.schema = &change_schema,
	ARGS(delete_args, struct delete_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = delete_run,
};
