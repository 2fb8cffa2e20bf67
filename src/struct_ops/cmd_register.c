/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/change.h"
#include "cli/command.h"
#include "struct_ops/register.h"

struct register_opts {
	const char *file, *dir;
	bool hold, replace, dry_run;
};
static const struct arg register_args[] = {
	OPERAND("OBJ", ARG_PATH, struct register_opts, file, "object file"),
	ARG("LINK_DIR", ARG_PATH, struct register_opts, dir,
	    "directory in a bpffs for pins of the links, named after their maps; created if it does not exist",
	    .flags = ARG_POSITIONAL),
	ARG("--hold", ARG_FLAG, struct register_opts, hold,
	    "keep links that are not pinned until SIGINT, SIGHUP or SIGTERM", .rejects = "LINK_DIR --replace"),
	ARG("--replace", ARG_FLAG, struct register_opts, replace,
	    "replace the map of a link that is already pinned there"),
	ARG("--dry-run", ARG_FLAG, struct register_opts, dry_run,
	    "load the file, report what would be registered, and register nothing"),
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
		return err_usage(e, "--replace requires LINK_DIR");
	return ops_register(env, &q, e);
}

const struct command ops_register_command = {
	.name = "register",
	.summary = "load an object file and register its tables of operations",
	.help = "Registers all tables or none: if one fails, those before it are unregistered. Tables in the section "
		".struct_ops stay registered until `unregister`. Those in .struct_ops.link are registered by links, "
		"which must be pinned in LINK_DIR, or held by this command with --hold. With --replace, the map of a "
		"link that is pinned under the map's name is replaced at once, and users of the old table change to "
		"the new one without a gap, if the kernel can do that for the table.",
	.schema = &change_schema,
	ARGS(register_args, struct register_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = register_run,
};
