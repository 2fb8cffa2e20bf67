/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/err.h"
#include "cli/change.h"
#include "cli/command.h"
#include "struct_ops/register.h"

struct register_opts {
	const char *file, *dir;
	bool hold, replace, dry_run;
};
#define OFF(m) .off = offsetof(struct register_opts, m)
static const struct arg register_args[] = {
	{ .name = "OBJ", .type = ARG_PATH, .flags = ARG_POSITIONAL | ARG_REQUIRED, OFF(file), .help = "object file" },
	{ .name = "LINK_DIR",
	  .type = ARG_PATH,
	  .flags = ARG_POSITIONAL,
	  OFF(dir),
	  .help = "directory in a bpffs, made if it is not there: links are pinned in it by the names of their maps" },
	{ .name = "--hold",
	  .type = ARG_FLAG,
	  OFF(hold),
	  .rejects = "LINK_DIR --replace",
	  .help = "keep links that are not pinned until SIGINT, SIGHUP or SIGTERM" },
	{ .name = "--replace",
	  .type = ARG_FLAG,
	  OFF(replace),
	  .help = "give a link that is pinned there already the new map" },
	{ .name = "--dry-run",
	  .type = ARG_FLAG,
	  OFF(dry_run),
	  .help = "load the file, say what would be registered, and register nothing" },
};

static int register_run(struct env *env, const void *opts, struct err *e)
{
	const struct register_opts *o = opts;
	const struct ops_register q = {
		.path = o->file,
		.dir = o->dir,
		.hold = o->hold,
		.replace = o->replace,
		.dry_run = o->dry_run,
	};

	if (o->replace && !o->dir)
		return err_usage(e, "--replace replaces what is pinned in LINK_DIR, which is not given");
	return ops_register(env, &q, e);
}

const struct command ops_register_command = {
	.name = "register",
	.summary = "load an object file and register its tables of operations",
	.help = "All of them or none: if one fails, those before it are taken back. Tables in the section .struct_ops stay registered "
		"until `unregister`. Those in .struct_ops.link are registered by links, which have to be pinned in LINK_DIR, or held "
		"by this command with --hold. With --replace, a link that is pinned under the map's name gets the new map at once, and "
		"users of the old table change over without a gap, as far as the kernel can do it for such a table.",
	.schema = &change_schema,
	ARGS(register_args),
	.opts_size = sizeof(struct register_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = register_run,
};
