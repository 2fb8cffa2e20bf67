/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/attach.h"
#include "cli/change.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/select.h"
#include "map/map.h"
#include "net/net.h"
#include "perf/perf.h"
#include "kernel/hooks.h"

/*
 * bpftool's `attach PROG ATTACH_TYPE [MAP]`, extended by the hooks of tracing. Hooks are given by word or alias.
 * bpftool's old words come first, so that their abbreviations keep their meaning.
 */
enum { SOCKETS = 8, EVENTS = 8 };

struct where_opts {
	struct object_ref prog, map[SOCKETS];
	const char *where[EVENTS], *cookie, *cpu, *link;
	bool flow_dissector, dry_run;
	uint64_t period, frequency;
	uint32_t pid;
};

#define MAP_ARG(nr, word, text) \
	ARG(word, ARG_OBJECT, struct where_opts, map[nr], text, .kind = &kind_map, .flags = ARG_CHOICE)
#define TRACE_ARG(nr, word, what, text) \
	ARG(word, ARG_STR, struct where_opts, where[nr], text, .metavar = what, .flags = ARG_CHOICE)
#define PROG_ARG OPERAND("PROG", ARG_OBJECT, struct where_opts, prog, "the program", .kind = &kind_prog)
#define PLACE_ARGS \
	MAP_ARG(4, "msg_verdict", "old name of sk_msg_verdict"), \
		MAP_ARG(5, "skb_verdict", "old name of sk_skb_verdict"), \
		MAP_ARG(6, "stream_verdict", "old name of sk_skb_stream_verdict"), \
		MAP_ARG(7, "stream_parser", "old name of sk_skb_stream_parser"), \
		MAP_ARG(0, "sk_msg_verdict", "messages that sockets of this map send"), \
		MAP_ARG(1, "sk_skb_verdict", "packets that sockets of this map receive"), \
		MAP_ARG(2, "sk_skb_stream_verdict", "the same, for whole messages of a stream"), \
		MAP_ARG(3, "sk_skb_stream_parser", "boundaries of messages in streams of this map's sockets"), \
		ARG("flow_dissector", ARG_FLAG, struct where_opts, flow_dissector, \
		    "the flow dissector of this network namespace", .flags = ARG_CHOICE), \
		TRACE_ARG(0, "tracepoint", "[CATEGORY:]NAME", "a kernel tracepoint"), \
		TRACE_ARG(1, "raw_tracepoint", "NAME", "a kernel tracepoint, with its raw arguments"), \
		TRACE_ARG(2, "perf_event", "[TYPE:]EVENT", "an event that the CPU or the kernel counts"), \
		TRACE_ARG(3, "kprobe", "FUNC[+OFFSET]", "a kernel function, or an address 0xADDR in it"), \
		TRACE_ARG(4, "kretprobe", "FUNC", "the return of a kernel function"), \
		TRACE_ARG(5, "uprobe", "PATH:FUNC[+OFFSET]", "a function in a file, or an offset PATH:0xOFFSET"), \
		TRACE_ARG(6, "uretprobe", "PATH:FUNC", "the return of a function in a file"), \
		TRACE_ARG(7, "usdt", "PATH:PROVIDER:NAME", "a probe that the source of a program or library has")

struct prog_target {
	const char *where, *what;
	const struct place *place;
};

/* The arguments that name a hook; exactly one is given. */
static const struct arg places_args[] = { PLACE_ARGS };

static const void *arg_value(const struct where_opts *o, const struct arg *arg)
{
	return (const char *)o + arg->off;
}

static bool is_given(const struct where_opts *o, const struct arg *arg)
{
	const void *v = arg_value(o, arg);

	return arg->type == ARG_STR  ? *(const char *const *)v != NULL :
	       arg->type == ARG_FLAG ? *(const bool *)v :
				       ((const struct object_ref *)v)->by != 0;
}

/* Returns the word of the hook for bpftool's older word, and other words unchanged. */
static const char *sockets_word(const char *name)
{
	const struct hook *h = NULL;

	while ((h = hook_next(h, HOOK_BIT(HOOK_SOCKETS))))
		if (!strcmp(h->alias, name))
			return h->word;
	return name;
}

static int target_of(struct env *env, const struct where_opts *o, struct prog_target *ret, struct err *e)
{
	const struct arg *given = NULL;
	uint32_t id;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(places_args) && !given; i++)
		given = is_given(o, &places_args[i]) ? &places_args[i] : NULL;
	if (!given)
		return err_usage(e, "missing attach point: sk_msg_verdict MAP, tracepoint NAME, ...");
	if (given->type == ARG_STR) {
		*ret = (struct prog_target){ *(const char *const *)arg_value(o, given), given->name, &place_trace };
	} else if (given->type == ARG_FLAG) {
		*ret = (struct prog_target){ "netns", given->name, &place_net };
	} else {
		err = select_one(env, &kind_map, arg_value(o, given), &id, e);
		if (err)
			return err;
		*ret = (struct prog_target){ arena_fmt(env->keep, "map:%u", id), sockets_word(given->name),
					     &place_map };
	}
	return 0;
}

/* The hooks that bpftool has too: attaching to them reports only what was replaced. */
static int attach_there(struct env *env, const struct prog_target *t, struct attach_request *q, struct err *e)
{
	struct attach_result r = { .hold_fd = -1 };
	int err;

	if (q->has_cookie || q->event.period || q->event.frequency || q->event.pid || q->event.has_cpu || q->link)
		return err_usage(e, "cookie, period, frequency, cpu, pid and --link are for tracing, not for %s",
				 t->what);
	q->overwrite = true;
	err = t->place->attach(env, q, &r, e);
	if (err)
		return err_sys(e, err, "%s does not accept program %u", t->what, q->prog_id);
	r.replaced_prog = r.replaced_prog == q->prog_id ? 0 : r.replaced_prog;
	return place_report_attached(env, q, &r, true, e);
}

static int attach_tracing(struct env *env, struct attach_request *q, struct err *e)
{
	struct attach_result r = { .hold_fd = -1 };
	int err;

	q->hold = !q->link && !q->dry_run;
	err = place_trace.attach(env, q, &r, e);
	if (err)
		return err;
	return place_report_attached(env, q, &r, false, e);
}

static int prog_attach_run(struct env *env, const void *opts, struct err *e)
{
	const struct where_opts *o = opts;
	const struct attach_opts how = { .link = o->link, .cookie = o->cookie, .dry_run = o->dry_run };
	ATTACH_REQUEST(q);
	struct prog_target t;
	uint32_t cpu = 0;
	int err = target_of(env, o, &t, e);

	if (err)
		return err;
	if (o->cpu && num_parse_u32(o->cpu, &cpu))
		return err_usage(e, "can't parse %s as cpu: it must be a number", o->cpu);
	err = attach_request_of(env, &o->prog, &how, &q, e);
	if (err)
		return err;
	q.event = (struct attach_event){
		.period = o->period, .frequency = o->frequency, .pid = o->pid, .has_cpu = o->cpu, .cpu = cpu
	};
	q.where = t.where;
	q.what = t.what;
	return t.place == &place_trace ? attach_tracing(env, &q, e) : attach_there(env, &t, &q, e);
}

static const char *hook_word(const char *name)
{
	const struct hook *h = hook_named(name, HOOK_BIT(HOOK_SOCKETS) | HOOK_BIT(HOOK_NETNS) | HOOK_BIT(HOOK_EVENT));

	for (size_t i = 0; h && i < ARRAY_SIZE(places_args); i++)
		if (!strcmp(places_args[i].name, h->word))
			return h->word;
	return NULL;
}

static const struct arg attach_args[] = {
	PROG_ARG,
	PLACE_ARGS,
	ARG("cookie", ARG_STR, struct where_opts, cookie, "value that the program reads with bpf_get_attach_cookie",
	    .metavar = "N"),
	ARG("period", ARG_U64, struct where_opts, period,
	    "run the program each time this many perf events were counted", .metavar = "N", .flags = ARG_NONZERO),
	ARG("frequency", ARG_U64, struct where_opts, frequency,
	    "run the program this often per second, for a perf event", .metavar = "N", .flags = ARG_NONZERO),
	ARG("cpu", ARG_STR, struct where_opts, cpu, "only the perf event of this CPU", .metavar = "N"),
	ARG("pid", ARG_U32, struct where_opts, pid, "only in this process, for perf events and uprobes", .metavar = "N",
	    .flags = ARG_NONZERO),
	ARG("--link", ARG_PATH, struct where_opts, link, "attach with a link that is pinned at this path",
	    .metavar = "PATH"),
	ARG("--dry-run", ARG_FLAG, struct where_opts, dry_run, "print what would be attached, and change nothing"),
};

const struct command prog_attach = {
	.name = "attach",
	.summary = "attach a program to a hook",
	.help = "A tracing program stays attached as long as its link: pinned with --link, otherwise until this "
		"command is interrupted. Without cpu or pid there is an event on each CPU. By default, clocks and "
		"CPU cycles run the program 99 times per second, other events each time.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY | CMD_STREAM,
	ARGS(attach_args, struct where_opts),
	.word_named = hook_word,
	.run = prog_attach_run,
};

static int detach_there(struct env *env, const struct prog_target *t, uint32_t id, bool dry_run, struct err *e)
{
	const struct attachment a = { .where = t->where, .what = t->what, .prog_id = id };
	int err = t->place->detach(env, &a, dry_run, e);

	if (err)
		return err_sys(e, err, "program %u cannot be detached from %s", id, t->what);
	place_report_detached(env, &a, dry_run);
	return 0;
}

static int prog_detach_run(struct env *env, const void *opts, struct err *e)
{
	const struct where_opts *o = opts;
	struct change_rec c;
	struct prog_target t;
	uint32_t id;
	int err = target_of(env, o, &t, e);

	if (!err)
		err = select_one(env, &kind_prog, &o->prog, &id, e);
	if (err)
		return err;
	if (t.place != &place_trace)
		return detach_there(env, &t, id, o->dry_run, e);
	err = trace_detach(env, id, t.where, t.what, o->dry_run, &c, e);
	if (err)
		return err;
	/* The attachment was found, so places that could not be listed do not matter. */
	report_excuse(env->report, env->machine);
	change_print(env, &c);
	return 0;
}

static const struct arg detach_args[] = {
	PROG_ARG,
	PLACE_ARGS,
	ARG("--dry-run", ARG_FLAG, struct where_opts, dry_run, "print what would be detached, and change nothing"),
};

const struct command prog_detach = {
	.name = "detach",
	.summary = "detach a program",
	.help = "Removes the pins of the links of a tracing program, which ends them; a link that a process holds stays until that process ends.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY,
	ARGS(detach_args, struct where_opts),
	.word_named = hook_word,
	.run = prog_detach_run,
};
