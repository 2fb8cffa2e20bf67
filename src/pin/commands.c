/* SPDX-License-Identifier: BSD-2-Clause */
#include "pin/pin.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/select.h"
#include "pin/list.h"
#include "render/jsonw.h"
#include "host/pins.h"

struct pin_opts {
	struct object_ref object;
	const char *path;
};

static int run_pin(struct env *env, const void *opts, struct err *e)
{
	const struct pin_opts *o = opts;
	CLEAN_FD fd = select_open(env, env->kind, &o->object, NULL, e);

	return fd < 0 ? fd : pins_pin(fd, o->path, env->opts->nomount, e);
}

static const struct arg pin_args[] = {
	{ .type = ARG_OBJECT, .flags = ARG_POSITIONAL | ARG_REQUIRED, .off = offsetof(struct pin_opts, object),
	  .help = "what to pin" },
	{ .name = "PATH", .type = ARG_PATH, .flags = ARG_POSITIONAL | ARG_REQUIRED, .off = offsetof(struct pin_opts, path),
	  .help = "a new name in a bpffs" },
};

const struct command command_pin = {
	.name = "pin", .summary = "keep the object under a path in bpffs",
	.help = "The directory must be in a bpffs. Only /sys/fs/bpf itself is mounted where that is missing, and not with -n.",
	.flags = CMD_WRITE, ARGS(pin_args), .opts_size = sizeof(struct pin_opts), .run = run_pin,
};

struct unpin_opts {
	struct arg_list paths;
	bool dry_run;
};

static void would_remove(struct env *env, const char *path, uint32_t id)
{
	if (!env->report->jw) {
		out_str(env->report->out, "would remove ");
		out_text(env->report->out, path);
		out_fmt(env->report->out, ", a pin of %s %u\n", env->kind->name, id);
		return;
	}
	jsonw_object(env->report->jw);
	jsonw_name(env->report->jw, "path");
	jsonw_str(env->report->jw, path);
	jsonw_name(env->report->jw, "id");
	jsonw_uint(env->report->jw, id);
	jsonw_end(env->report->jw);
}

/* All paths are looked at before the first is removed: a slip removes nothing. */
static int run_unpin(struct env *env, const void *opts, struct err *e)
{
	const struct unpin_opts *o = opts;
	uint32_t *ids = arena_array(env->keep, o->paths.n, sizeof(*ids));
	size_t i;
	int err;

	for (i = 0; i < o->paths.n; i++) {
		err = pins_check(o->paths.word[i], env->kind->object, &ids[i], e);
		if (err)
			return err;
	}
	if (o->dry_run && env->report->jw)
		jsonw_array(env->report->jw);
	for (i = 0; i < o->paths.n; i++) {
		if (o->dry_run)
			would_remove(env, o->paths.word[i], ids[i]);
		else if (pins_unpin(o->paths.word[i], env->kind->object, e))
			return e->code;
	}
	if (o->dry_run && env->report->jw)
		jsonw_end(env->report->jw);
	return 0;
}

static const struct arg unpin_args[] = {
	{ .name = "--dry-run", .type = ARG_FLAG, .off = offsetof(struct unpin_opts, dry_run),
	  .help = "say what would be removed, and remove nothing" },
	{ .name = "PATH", .metavar = "PATH", .type = ARG_REST, .flags = ARG_REQUIRED, .off = offsetof(struct unpin_opts, paths),
	  .help = "pins of objects of this kind" },
};

const struct command command_unpin = {
	.name = "unpin", .summary = "remove pins; an object that nothing else holds goes with its last one",
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS, ARGS(unpin_args), .opts_size = sizeof(struct unpin_opts),
	.run = run_unpin,
};

const struct command *const pin_commands[] = { &command_pin_list, NULL };
