/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/change.h"
#include "cli/attach.h"
#include "cli/place.h"
#include "cli/select.h"
#include "net/commands.h"
#include "net/target.h"
#include "record/field.h"

/* bpftool's verbs: they report only replaced programs, on standard error. */
static const struct names types = { hook_device_words, HOOK_DEVICE_WORDS };

struct attach_cmd {
	int type;
	struct object_ref prog;
	const char *dev;
	bool prepend;
	struct attach_opts how;
};

static int net_attach_run(struct env *env, const void *opts, struct err *e)
{
	const struct attach_cmd *o = opts;
	struct attach_result r = { .hold_fd = -1 };
	ATTACH_REQUEST(q);
	int err = attach_request_of(env, &o->prog, &o->how, &q, e);

	if (!err && o->prepend && q.position)
		err = err_usage(e, "a program runs at one position: 'prepend' is the first");
	if (err)
		return err;
	q.position = o->prepend ? POSITION_FIRST : q.position;
	q.where = o->dev;
	q.what = hook_device_words[o->type];
	err = net_attach_place(env, &q, &r, e);
	return err ? err : place_report_attached(env, &q, &r, true, e);
}

struct detach_cmd {
	int type;
	const char *dev;
	struct object_ref prog;
	bool dry_run;
};

static int nothing_there(struct env *env, const struct net_target *t)
{
	snprintf(env->report->note, sizeof(env->report->note), "nothing was attached to %.40s as %s", t->where,
		 t->hook->word);
	return 0;
}

/* If none is named, as by bpftool, the kernel detaches the last one. */
static uint32_t pick_prog(const struct net_target *t, const struct object_ref *ref, uint32_t wanted, int *err,
			  struct err *e)
{
	struct hook_prog *p = NULL;
	uint64_t revision;
	uint32_t n = 0;

	*err = 0;
	if (t->hook->kind == HOOK_XDP)
		return ref->by ? wanted : net_target_xdp(t);
	if (ref->by)
		return wanted;
	*err = net_target_progs(t, &p, &n, &revision);
	if (*err)
		*err = err_sys(e, *err, "cannot read the programs of %s %s", t->where, t->hook->word);
	else if (!n)
		*err = err_set(e, -ENOENT, "nothing is attached to %s as %s", t->where, t->hook->word);
	return *err ? 0 : p[n - 1].prog_id;
}

static int net_detach_run(struct env *env, const void *opts, struct err *e)
{
	const struct detach_cmd *o = opts;
	const struct hook *h = hook_find(hook_device_words[o->type], NET_DEVICE_HOOKS);
	struct attachment a = { .where = o->dev, .what = h->word };
	NET_TARGET t = NET_TARGET_NONE;
	uint32_t wanted = 0;
	int err = o->prog.by ? select_one(env, &kind_prog, &o->prog, &wanted, e) : 0;

	if (!err)
		err = net_target_open(env, o->dev, h, &t, e);
	if (err)
		return err;
	a.prog_id = pick_prog(&t, &o->prog, wanted, &err, e);
	if (!err && !a.prog_id)
		return nothing_there(env, &t);
	/* Its name is read before: afterwards the program may be gone. */
	if (!err && !o->dry_run)
		change_note(env, "detached", a.prog_id);
	if (!err)
		err = net_detach_place(env, &a, o->dry_run, e);
	if (err)
		env->report->note[0] = '\0';
	else
		place_report_detached(env, &a, o->dry_run);
	return err;
}

/* A name of libbpf's, or of the attach type. */
static const char *hook_word(const char *name)
{
	const struct hook *h = hook_named(name, NET_DEVICE_HOOKS);

	return h ? h->word : NULL;
}

#define TYPE(T) OPERAND("TYPE", ARG_WORD, T, type, "hook of the device", .words = &types)
#define DEV(T) \
	ARG("dev", ARG_STR, T, dev, "network device; in another network namespace NAME:DEVICE", .metavar = "DEVICE", \
	    .flags = ARG_REQUIRED, .offers = net_offer_devices)

static const struct arg attach_args[] = {
	TYPE(struct attach_cmd),
	OPERAND("PROG", ARG_OBJECT, struct attach_cmd, prog, "the program", .kind = &kind_prog),
	DEV(struct attach_cmd),
	ARG("prepend", ARG_FLAG, struct attach_cmd, prepend, "the same as first"),
	ATTACH_ARGS(struct attach_cmd, how),
};
static const struct arg detach_args[] = {
	TYPE(struct detach_cmd),
	DEV(struct detach_cmd),
	ARG("prog", ARG_OBJECT, struct detach_cmd, prog, "the program; without it, the last of several",
	    .kind = &kind_prog),
	ARG("--dry-run", ARG_FLAG, struct detach_cmd, dry_run, "print what would be detached, and change nothing"),
};

const struct command net_attach = {
	.name = "attach",
	.summary = "attach a program to a network device",
	.help = "TYPE may be a name of libbpf's, such as tcx/ingress. With xdp the kernel chooses the mode. Without overwrite, a device that "
		"has a program keeps it; a replaced program is reported on standard error. tcx and netkit run several programs; a new one "
		"runs last unless a position is given.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY,
	ARGS(attach_args, struct attach_cmd),
	.word_named = hook_word,
	.run = net_attach_run,
};
const struct command net_detach = {
	.name = "detach",
	.summary = "detach a program from a network device",
	.help = "If there is no XDP program, this is reported on standard error and is not a failure. A program that a link attaches is "
		"detached by its link.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY,
	ARGS(detach_args, struct detach_cmd),
	.word_named = hook_word,
	.run = net_detach_run,
};
