/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "cli/change.h"
#include "cli/command.h"
#include "cli/env.h"
#include "cli/place.h"
#include "host/pace.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "kernel/secname.h"
#include "load/load.h"
#include "netns/devices.h"
#include "perf/perf.h"
#include "prog/load_args.h"
#include "prog/prog.h"
#include "prog/takeover/again.h"
#include "prog/takeover/takeover.h"
#include "prog/verify.h"
#include "render/doc.h"

struct load_opts {
	const char *path, *dev, *offload_dev, *bound_dev, *maps;
	const char *object;
	struct load_setup setup;
	bool attach, dry_run, replace, watch;
	struct loader_opts loader;
};

#define LOAD_ARGS(path_help) \
	OPERAND("OBJ", ARG_PATH, struct load_opts, object, "object file"), \
		ARG("PATH", ARG_PATH, struct load_opts, path, path_help, .flags = ARG_POSITIONAL), \
		LOAD_TYPE_ARGS(struct load_opts, setup), \
		ARG("dev", ARG_STR, struct load_opts, dev, "as offload_dev", .metavar = "DEV", \
		    .offers = net_offer_own_devices, .rejects = "offload_dev xdpmeta_dev"), \
		ARG("offload_dev", ARG_STR, struct load_opts, offload_dev, \
		    "network device to which programs and maps are offloaded", .metavar = "DEV", \
		    .offers = net_offer_own_devices, .rejects = "xdpmeta_dev"), \
		ARG("xdpmeta_dev", ARG_STR, struct load_opts, bound_dev, \
		    "network device whose metadata XDP programs may read", .metavar = "DEV", \
		    .offers = net_offer_own_devices), \
		ARG("pinmaps", ARG_PATH, struct load_opts, maps, "directory in which all maps are pinned by name", \
		    .metavar = "DIR"), \
		ARG("autoattach", ARG_FLAG, struct load_opts, attach, \
		    "attach programs according to their sections, and pin the links"), \
		LOAD_SETUP_ARGS(struct load_opts, setup), \
		LOADER_ARGS( \
			struct load_opts, loader, \
			"load with a program that runs in the kernel (since Linux 5.14), as light skeletons do; load without PATH only tests"), \
		ARG("--replace", ARG_FLAG, struct load_opts, replace, \
		    "replace the programs that are pinned there, wherever they run, and keep maps that are the same"), \
		ARG("--watch", ARG_FLAG, struct load_opts, watch, \
		    "with --replace: again whenever the file changes, until interrupted"), \
		ARG("--dry-run", ARG_FLAG, struct load_opts, dry_run, \
		    "load to get the verifier's answer, pin nothing, and unload")
static const struct arg load_args[] = { LOAD_ARGS("path in a bpffs, for the pin of the first program") };
static const struct arg loadall_args[] = { LOAD_ARGS(
	"directory in a bpffs, created if missing: programs are pinned by name") };

/* Who develops a program looks at its complexity. */
static void load_describe_verified(const struct load_prog *p, struct change_rec *c)
{
	struct abi_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (!sys_object_info(p->fd, &info, &len))
		c->verified_insns = info.verified_insns;
}

static void load_describe(struct env *env, const struct load_prog *p, uint32_t replaced, bool dry_run,
			  struct change_rec *c)
{
	const char **pins = arena_array(env->keep, 1, sizeof(*pins));
	uint32_t id = 0, link = p->link_id;

	*c = (struct change_rec){
		.sentence = SENTENCE_LOAD,
		.action = dry_run		? "would load" :
			  p->link || p->link_id ? "loaded and attached" :
						  "loaded",
		.name = bpf_program__name(p->prog),
		.type = names_of(&names_prog_type, (uint64_t)bpf_program__type(p->prog)),
		.replaced = replaced,
		.dry_run = dry_run,
	};
	/* The id of a program that was unloaded is of no use. */
	if (!dry_run && !sys_object_id(p->fd, &id))
		c->prog_id = id;
	if (p->link)
		sys_object_id(bpf_link__fd(p->link), &link);
	c->link_id = link;
	pins[0] = p->pin;
	c->pins = pins;
	c->npins = p->pin ? 1 : 0;
}

/* Reports the programs that stay loaded. */
static void load_report(struct env *env, const struct load *l, const struct takeover *r, bool dry_run)
{
	size_t n = 0, more;
	const struct change_rec *changes = takeover_changes(r, &more);
	struct change_rec *c = arena_array(env->keep, l->nprogs + more, sizeof(*c));

	for (size_t i = 0; i < l->nprogs; i++) {
		if (!l->progs[i].pin && l->pins->path)
			continue;
		load_describe(env, &l->progs[i], takeover_old_prog(r, i), dry_run, &c[n]);
		if (r->load)
			load_describe_verified(&l->progs[i], &c[n]);
		n++;
	}
	for (size_t i = 0; i < more; i++)
		c[n++] = changes[i];
	change_print_all(env, c, n);
}

/* libbpf's link of a USDT probe is several links, and has no descriptor. */
static int probe_attach(struct env *env, struct load_prog *p, struct err *e)
{
	const struct secname_guess as = secname_guess(bpf_program__section_name(p->prog));
	struct attach_request q = { .where = as.target, .prog_fd = p->fd, .link = p->pin };
	struct attach_result r = { .hold_fd = -1 };
	int err;

	if (!as.target || as.hook != hook_of(HOOK_EVENT, HOOK_USDT))
		return -ENOTSUP;
	q.what = as.hook->word;
	err = sys_object_id(p->fd, &q.prog_id);
	if (err)
		return err_sys(e, err, "cannot read the program's id");
	err = place_trace.attach(env, &q, &r, e);
	p->link_id = r.link_id;
	return err;
}

static int replace_check(const struct load_opts *o, struct err *e)
{
	if (o->watch && !o->replace)
		return err_usage(e, "'--watch' needs '--replace'");
	if (o->replace && !o->path)
		return err_usage(e, "'--replace' needs PATH, where the programs are pinned");
	if (o->replace && o->loader.use) {
		err_usage(e, "a loader program cannot keep maps");
		return err_hint(e, "omit --use-loader, or '--replace'");
	}
	return 0;
}

/* PATH may be omitted if nothing stays loaded: with --dry-run, and with a loader program, as bpftool ignores it then.
 */
static int path_check(const struct load_opts *o, bool all, struct err *e)
{
	if (o->path || o->dry_run || (!all && (o->loader.use || o->loader.sign) && !o->maps && !o->attach))
		return 0;
	return err_usage(e, "'%s' needs at least 2 arguments, OBJ and PATH", all ? "loadall" : "load");
}

static int objects_load(struct env *env, const struct load_opts *o, bool all, struct err *e)
{
	struct load_request q = {
		.path = o->object,
		.maps_alone = all,
		.dev = o->bound_dev   ? o->bound_dev :
		       o->offload_dev ? o->offload_dev :
					o->dev,
		.dev_bound = o->bound_dev,
		.loader = o->loader,
	};
	bool dry_run = o->dry_run || !o->path;
	const struct load_pins pins = {
		.path = o->path, .all = all, .maps = o->maps, .attach = o->attach, .attach_own = probe_attach
	};
	TAKEOVER r = { .env = env, .dry_run = dry_run };
	LOAD(l);
	int err = path_check(o, all, e);

	load_setup_apply(&o->setup, env, &q);
	if (!err)
		err = loader_opts_complete(&q.loader, e);
	if (!err)
		err = replace_check(o, e);
	if (!err)
		err = verify_uncounted(env, &q, e);
	if (!err)
		err = load_open(&l, env, &q, e);
	if (!err && o->replace)
		err = takeover_find(&r, &l, &pins, e);
	if (!err)
		err = load_place(&l, &pins, e);
	if (!err)
		err = load_load(&l, e);
	if (!err)
		err = takeover_plan(&r, e);
	if (!err && !dry_run)
		err = load_pin(&l, e);
	if (!err && !dry_run)
		err = takeover_carry_out(&r, e);
	if (err)
		return err;
	/* Scripts for bpftool expect no output. */
	if (o->dry_run || !env->opts->as_bpftool)
		load_report(env, &l, &r, dry_run);
	if (!dry_run) {
		load_slots_note(&l);
		load_keep(&l);
	}
	return 0;
}

static void watch_head(struct env *env, const char *object)
{
	char time[PACE_TIME];
	struct doc d;

	env_doc(env, &d);
	doc_text(&d, arena_fmt(env->keep, "%.8s UTC  %s\n", pace_time(time) + strlen("2026-11-21T"), object));
}

static int objects_load_again(struct env *env, const struct load_opts *o, bool all, struct err *e)
{
	int err = o->watch ? replace_check(o, e) : 1;

	if (!err)
		err = again_run(env, o->object, e);
	if (err == 1 && o->watch)
		watch_head(env, o->object);
	return err == 1 ? objects_load(env, o, all, e) : err;
}

static int load_run(struct env *env, const void *opts, struct err *e)
{
	return objects_load_again(env, opts, false, e);
}

static int loadall_run(struct env *env, const void *opts, struct err *e)
{
	return objects_load_again(env, opts, true, e);
}

#define LOAD_HELP \
	"All or nothing: paths are checked before anything is loaded, and if a step fails, the previous steps are undone. A map in the " \
	"directory of `maps` that differs from the file's in type, sizes, max_entries or flags is an error; constants (.rodata) are never " \
	"taken from there, and `pinmaps` of the same directory leaves the pins of what is."
const struct command prog_load = {
	.name = "load",
	.summary = "load an object file and pin its first program",
	.help = LOAD_HELP
	" All programs of the file are loaded; only the first is pinned, the others are unloaded when the command ends unless it uses them.",
	.example = "prog load xdp_count.bpf.o /sys/fs/bpf/count set debug=1 resize flows=64K",
	.schema = &change_schema,
	ARGS(load_args, struct load_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = load_run,
};

const struct command prog_loadall = {
	.name = "loadall",
	.summary = "load an object file and pin all its programs",
	.help = LOAD_HELP,
	.example = "prog loadall app.bpf.o /sys/fs/bpf/app pinmaps /sys/fs/bpf/app/maps autoattach",
	.schema = &change_schema,
	ARGS(loadall_args, struct load_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = loadall_run,
};
