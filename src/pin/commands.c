/* SPDX-License-Identifier: BSD-2-Clause */
#include "pin/pin.h"

#include "cli/change.h"
#include "cli/complete.h"
#include "cli/command.h"
#include "cli/select.h"
#include "pin/list.h"
#include "host/pins.h"
#include "source/facts.h"

struct pin_opts {
	struct object_ref object;
	const char *path;
};

static int run_pin(struct env *env, const void *opts, struct err *e)
{
	const struct pin_opts *o = opts;
	uint32_t id = 0;
	CLEAN_FD fd = select_open(env, env->kind, &o->object, &id, e);
	int err = fd < 0 ? fd : pins_pin(fd, o->path, env->opts->nomount, e);

	if (!err)
		change_report(env, &(struct change_rec){
					   .sentence = SENTENCE_UNPIN,
					   .action = "pinned",
					   .kind = env->kind->name,
					   .id = id,
					   .path = o->path,
				   });
	return err;
}

static const struct arg pin_args[] = {
	OPERAND(NULL, ARG_OBJECT, struct pin_opts, object, "what to pin"),
	OPERAND("PATH", ARG_PATH, struct pin_opts, path, "new path in a bpffs"),
};

const struct command command_pin = {
	.name = "pin",
	.summary = "pin the object at a path in a bpffs",
	.help = "The directory must be in a bpffs. A missing bpffs is mounted at /sys/fs/bpf only, and not with -n.",
	.schema = &change_schema,
	.flags = CMD_WRITE,
	ARGS(pin_args, struct pin_opts),
	.run = run_pin,
};

struct unpin_opts {
	struct arg_list paths;
	bool dry_run, recursive;
};

static bool may_unpin(const struct env *env, enum object_kind kind)
{
	return !env->kind || env->kind->object == kind;
}

/* Replaces the directories among the paths by the pins in and below them. */
static int pins_below(struct env *env, struct unpin_opts *o, struct err *e)
{
	const struct pin *pins;
	struct arg_list found;
	const char **words;
	bool *taken;
	size_t n;
	int err = facts_all_pins(env->machine, &pins, &n);

	if (err)
		return err_sys(e, err, "cannot list pins");
	words = arena_array(env->keep, n, sizeof(*words));
	taken = arena_array(env->keep, n, sizeof(*taken));
	found = (struct arg_list){ words, 0 };
	for (size_t k = 0; k < o->paths.n; k++) {
		CLEAN_PTR char *dir = realpath(o->paths.word[k], NULL);
		bool any = false;

		if (!dir)
			return err_sys(e, -errno, "%s", o->paths.word[k]);
		for (size_t i = 0; i < n; i++) {
			if (!may_unpin(env, pins[i].kind) || !pin_is_below(pins[i].path, dir))
				continue;
			any = true;
			if (!taken[i])
				words[found.n++] = pins[i].path;
			taken[i] = true;
		}
		if (!any)
			return err_set(e, -ENOENT, "no %s is pinned at %s or below it",
				       env->kind ? env->kind->noun : "object", o->paths.word[k]);
	}
	o->paths = found;
	return 0;
}

struct unpinned {
	enum object_kind kind;
	uint32_t id;
};

static void removal_report(struct env *env, const struct unpin_opts *o, const struct unpinned *of)
{
	struct change_rec *c = arena_array(env->keep, o->paths.n, sizeof(*c));

	for (size_t i = 0; i < o->paths.n; i++)
		c[i] = (struct change_rec){
			.sentence = SENTENCE_UNPIN,
			.action = o->dry_run ? "would remove" : "removed",
			.kind = object_kind_names[of[i].kind],
			.id = of[i].id,
			.path = o->paths.word[i],
			.dry_run = o->dry_run,
		};
	change_report_all(env, c, o->paths.n);
}

/* All paths are checked before the first is removed: a mistyped path removes nothing. */
static int run_unpin(struct env *env, const void *opts, struct err *e)
{
	struct unpin_opts o = *(const struct unpin_opts *)opts;
	struct unpinned *of;
	size_t i;
	int err = o.recursive ? pins_below(env, &o, e) : 0;

	of = arena_array(env->keep, o.paths.n, sizeof(*of));
	for (i = 0; i < o.paths.n && !err; i++) {
		of[i].kind = env->kind ? env->kind->object : OBJECT_KINDS;
		err = pins_check(o.paths.word[i], &of[i].kind, &of[i].id, e);
	}
	if (err == -EISDIR)
		return env->kind ?
			       err_hint_word(e, arena_fmt(env->keep, "`%s unpin -r ", env->kind->name),
					     o.paths.word[i - 1], "` removes the pins of that kind in and below it") :
			       err_hint_word(e, "`unpin -r ", o.paths.word[i - 1],
					     "` removes the pins in and below it");
	if (err)
		return err;
	for (i = 0; i < o.paths.n && !o.dry_run; i++)
		if (pins_unpin(o.paths.word[i], of[i].kind, e))
			return e->code;
	removal_report(env, &o, of);
	return 0;
}

static const struct arg unpin_args[] = {
	ARG("--dry-run", ARG_FLAG, struct unpin_opts, dry_run, "print what would be removed, and remove nothing"),
	ARG("--recursive", ARG_FLAG, struct unpin_opts, recursive,
	    "the pins in a directory and below it (after prog, map, link: of that kind); directories stay",
	    .alias = "-r"),
	ARG("PATH", ARG_REST, struct unpin_opts, paths, "pins (after prog, map, link: of that kind)", .metavar = "PATH",
	    .flags = ARG_REQUIRED, .offers = complete_pins),
};

const struct command command_unpin = {
	.name = "unpin",
	.summary = "remove pins; the last pin of an object without another holder unloads it",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	ARGS(unpin_args, struct unpin_opts),
	.run = run_unpin,
};

const struct command *const pin_commands[] = { &command_pin_list, NULL };
