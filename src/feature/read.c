/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>

#include "types/btf.h"
#include "cli/env.h"
#include "source/features.h"
#include "feature/report.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/lives.h"

#define TYPES FEATURE_TYPES
#define IDS 1024

static const struct {
	const char *name, *what;
} misc_words[] = {
	{ "large_insn_limit", "Large program size limit" }, { "bounded_loops", "Bounded loop support" },
	{ "v2_isa_extension", "ISA extension v2" },	    { "v3_isa_extension", "ISA extension v3" },
	{ "v4_isa_extension", "ISA extension v4" },
};

static const char *upper(struct env *env, const char *word)
{
	char *ret = arena_str(env->keep, word, SIZE_MAX);

	for (char *p = ret; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return ret;
}

static void feature_set(struct feature *f, int why)
{
	const enum feature_state state = feature_state(why);

	f->have = state == FEATURE_HERE;
	f->known = state == FEATURE_UNKNOWN ? AVAIL_UNKNOWN : AVAIL_YES;
	if (state == FEATURE_REFUSED || state == FEATURE_UNKNOWN)
		f->why = why > 0 ? why : 0;
}

static void feature_add(struct env *env, struct feature **all, uint32_t *n, const char *name, const char *what, int why)
{
	struct feature *f = &(*all)[(*n)++];

	*f = (struct feature){ .key = arena_fmt(env->keep, "have_%s", name), .macro = upper(env, name), .what = what };
	feature_set(f, why);
	if (f->why)
		f->reason = err_text(-f->why);
	if (f->known == AVAIL_UNKNOWN)
		f->what = arena_fmt(env->keep, "%s ?", what);
}

/* Types that bpflens has a name for, and others that the kernel supports. NULL: neither. */
static const char *type_name(struct env *env, const struct name_table *t, uint32_t type, int why)
{
	const char *name = names_of(t, type);

	if (!name && why >= 0)
		name = btf_kernel_word(env->machine, t, type);
	if (!feature_is_word(name))
		name = NULL;
	return name || why ? name : arena_fmt(env->keep, "unknown_%u", type);
}

static bool is_type_asked(const struct feature_ask *ask, const struct name_table *t, uint32_t type)
{
	if (!ask->dev)
		return true;
	return t == &names_prog_type ? type == BPF_PROG_TYPE_SCHED_CLS || type == BPF_PROG_TYPE_XDP :
				       type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_ARRAY;
}

static void types_add(struct env *env, const struct feature_ask *ask, const struct name_table *t, const int *why,
		      struct feature **all, uint32_t *n)
{
	*all = arena_array(env->keep, TYPES, sizeof(**all));
	for (uint32_t type = 1; type < TYPES; type++) {
		const char *name = is_type_asked(ask, t, type) ? type_name(env, t, type, why[type]) : NULL;

		if (name)
			feature_add(env, all, n, arena_fmt(env->keep, "%s_%s", name, t->what),
				    arena_fmt(env->keep, "eBPF %s %s", t == &names_prog_type ? "program_type" : t->what,
					      name),
				    why[type]);
	}
}

static const char *helper_name(struct env *env, uint32_t id)
{
	static const struct name_table ids = { "helper", "bpf_func_id", "BPF_FUNC_", NULL, 0, 0 };
	const char *name = names_helper(id), *word = name ? NULL : btf_kernel_word(env->machine, &ids, id);

	return feature_is_word(word) ? arena_fmt(env->keep, "bpf_%s", word) : name;
}

/* Names of the helpers that are shown. */
static void kernel_names_find(struct env *env, const struct feature_ask *ask, struct feature_report *r)
{
	const char **names = arena_array(env->keep, IDS, sizeof(*names));

	for (r->nids = 1; r->nids < IDS && (names[r->nids] = helper_name(env, r->nids)); r->nids++)
		;
	if (!ask->full)
		names[BPF_FUNC_trace_printk] = names[BPF_FUNC_trace_vprintk] = names[BPF_FUNC_probe_write_user] = NULL;
	r->helper = names;
}

static void helpers_parse(struct env *env, const struct feature_report *r, const char *ids, struct feature_helpers *ret)
{
	const char **names = arena_array(env->keep, r->nids, sizeof(*names));
	bool *can = arena_array(env->keep, r->nids, sizeof(*can));
	char *text = ids ? arena_str(env->keep, ids, SIZE_MAX) : NULL, *word;
	uint32_t id;

	while ((word = feature_word(&text)))
		if (!num_parse_u32(word, &id) && id < r->nids && r->helper[id])
			can[id] = true;
	for (id = 0; id < r->nids; id++)
		if (can[id])
			names[ret->n++] = r->helper[id];
	ret->names = names;
	ret->can = can;
	ret->known = ids && !strcmp(ids, "?") ? AVAIL_UNKNOWN : AVAIL_YES;
}

static void helpers_add(struct env *env, const struct feature_ask *ask, const struct feature_answer *a,
			struct feature_report *r)
{
	kernel_names_find(env, ask, r);
	r->helpers = arena_array(env->keep, TYPES, sizeof(*r->helpers));
	for (uint32_t type = 1; type < TYPES; type++) {
		const char *name = is_type_asked(ask, &names_prog_type, type) ?
					   type_name(env, &names_prog_type, type, a->prog[type]) :
					   NULL;
		struct feature_helpers *h = &r->helpers[r->nhelpers];

		if (!name)
			continue;
		*h = (struct feature_helpers){
			.key = arena_fmt(env->keep, "%s_available_helpers", name),
			.type = name,
		};
		helpers_parse(env, r, a->helpers[type], h);
		if (!h->n && h->known == AVAIL_YES)
			h->none = a->prog[type] ? "Program type not supported" :
						  "Could not determine which helpers are available";
		r->nhelpers++;
	}
}

static int callable_read(struct env *env, const struct feature_ask *ask, struct feature_report *r, struct err *e)
{
	const uint64_t how = FEATURES_KFUNCS | (ask->unprivileged ? FEATURES_UNPRIVILEGED : 0u);
	struct feature_answer *a;
	bool any = false;

	if (feature_ask_all(env->machine, how, 0, env->keep, &a)) {
		r->has_callable = AVAIL_UNKNOWN; /* the refusal was noted */
		return 0;
	}
	r->callable = arena_array(env->keep, TYPES, sizeof(*r->callable));
	for (uint32_t type = 1; type < TYPES; type++) {
		const char *name = type_name(env, &names_prog_type, type, a->prog[type]);
		char *text = a->kfuncs[type] ? arena_str(env->keep, a->kfuncs[type], SIZE_MAX) : NULL, *word;
		struct feature_helpers *h = &r->callable[r->ncallable];
		const char **names;

		if (!name)
			continue;
		any |= text != NULL;
		names = arena_array(env->keep, text ? strlen(text) / 2 + 1 : 1, sizeof(*names));
		*h = (struct feature_helpers){
			.key = arena_fmt(env->keep, "%s_available_kfuncs", name),
			.type = name,
			.names = names,
		};
		while ((word = feature_word(&text)))
			if (*word)
				names[h->n++] = word;
		if (!h->n)
			h->none = a->kfuncs[type] ? "None" : "No program of this type could be tried";
		r->ncallable++;
	}
	if (!any) {
		err_set(e, -EOPNOTSUPP, "the kernel's types do not mark the functions that programs may call");
		return err_hint(e, "they do since Linux 6.10, if they were made by pahole 1.27 or newer");
	}
	r->has_callable = AVAIL_YES;
	return 0;
}

static void misc_add(struct env *env, const struct feature_answer *a, struct feature_report *r)
{
	r->misc = arena_array(env->keep, ARRAY_SIZE(a->misc), sizeof(*r->misc));
	for (uint32_t i = 0; i < a->nmisc; i++) {
		const char *what = a->misc[i].name;

		for (size_t k = 0; k < ARRAY_SIZE(misc_words); k++)
			if (!strcmp(what, misc_words[k].name))
				what = misc_words[k].what;
		feature_add(env, &r->misc, &r->nmisc, a->misc[i].name, what, a->misc[i].why);
	}
}

static void refused_gather(struct env *env, struct feature_report *r)
{
	const struct {
		const struct feature *all;
		uint32_t n;
	} parts[] = {
		{ r->progs, r->nprogs },
		{ r->maps, r->nmaps },
		{ r->misc, r->nmisc },
	};

	r->has_refused = AVAIL_YES;
	r->refused = arena_array(env->keep, r->nprogs + r->nmaps + r->nmisc + 1, sizeof(*r->refused));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (uint32_t k = 0; k < parts[i].n; k++)
			if (parts[i].all[k].why)
				r->refused[r->nrefused++] =
					(struct feature_reason){ parts[i].all[k].key, err_name(parts[i].all[k].why) };
}

/* Functions that programs may call, tagged since Linux 6.10 (pahole 1.27). */
static void kfuncs_find(struct env *env, const struct btf_types *t, struct feature_report *r)
{
	struct feature_kfunc *names = arena_array(env->keep, btf_count(t), sizeof(*names));

	for (uint32_t id = 1; id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);

		if (type && btf_kind_of(type) == BTF_KIND_DECL_TAG && !strcmp(btf_str(t, type->name_off), "bpf_kfunc"))
			names[r->nkfuncs++].name = btf_name(t, type->type);
	}
	r->kfuncs = names;
	r->has_kfuncs = r->nkfuncs ? AVAIL_YES : AVAIL_NO;
}

/* The kernel may have a name for an attach type that it does not support: programs for it, or of its program type, were
 * tried. */
static int attach_why(const struct feature_answer *a, uint32_t attach)
{
	const uint32_t prog = attach < HOOK_TYPES ? hooks[attach].progs[0] : 0;

	for (uint32_t i = 0; a && i < a->nways; i++)
		if (a->way[i].attach == attach)
			return a->way[i].why;
	return a && prog && feature_state(a->prog[prog]) == FEATURE_NOT ? a->prog[prog] : 0;
}

/* The attach types in the kernel's enum. The kernel checks most of them only when a program is attached. */
static void attach_types_add(struct env *env, const struct btf_types *t, const struct feature_answer *a,
			     struct feature_report *r)
{
	const uint32_t words = btf_find(t, names_attach_type.btf_enum, BTF_KIND_ENUM);

	if (!words)
		return;
	r->has_attach = AVAIL_YES;
	r->attach = arena_array(env->keep, TYPES, sizeof(*r->attach));
	for (uint32_t type = 0; type < TYPES; type++) {
		const char *word = btf_enum_name(t, words, type);
		const bool there = word && str_starts(word, names_attach_type.prefix);
		const char *name = type_name(env, &names_attach_type, type, there ? 0 : -1);

		if (name && !str_starts(name, "unknown"))
			feature_add(env, &r->attach, &r->nattach, arena_fmt(env->keep, "%s_attach_type", name),
				    arena_fmt(env->keep, "eBPF attach_type %s", name),
				    there ? attach_why(a, type) : EINVAL);
	}
}

/* Features that the kernel's types show. */
static void types_use(struct env *env, const struct feature_answer *a, struct feature_report *r)
{
	const struct btf_types *t;
	bool file;

	if (btf_get_default(env->machine, &t, &file, NULL))
		return;
	kfuncs_find(env, t, r);
	attach_types_add(env, t, a, r);
}

/* The interface index of a device. -ENODEV: there is none of this name. */
static int dev_find(struct env *env, const char *name, uint32_t *ret, struct err *e)
{
	char *text, *line;
	int err = ask_lines(env->machine, env->keep, &text, Q_IFACES);

	if (err)
		return err_set(e, err, "network devices cannot be listed: %s", strerror(-err));
	while ((line = strsep(&text, "\n"))) {
		const char *number = feature_word(&line);

		if (line && !strcmp(line, name) && !num_parse_u32(number, ret))
			return 0;
	}
	return err_set(e, -ENODEV, "unrecognized netdevice '%s': %s", name, strerror(ENODEV));
}

static void answer_use(struct env *env, const struct feature_ask *ask, const struct feature_answer *a,
		       struct feature_report *r)
{
	r->has_probes = AVAIL_YES;
	r->syscalls = arena_array(env->keep, 1, sizeof(*r->syscalls));
	feature_add(env, &r->syscalls, &r->nsyscalls, "bpf_syscall", "bpf() syscall", a->call);
	if (!r->syscalls->have)
		return;
	r->has_more = AVAIL_YES;
	types_add(env, ask, &names_prog_type, a->prog, &r->progs, &r->nprogs);
	types_add(env, ask, &names_map_type, a->map, &r->maps, &r->nmaps);
	helpers_add(env, ask, a, r);
	misc_add(env, a, r);
	refused_gather(env, r);
}

int feature_read(struct env *env, const struct feature_ask *asked, struct feature_report *ret, struct err *e)
{
	/* `save` does not ask for 'full', because that enables a trace event in the kernel. */
	const bool saved = machine_is_saved(env->machine);
	const struct feature_ask all = { asked->full && !saved, asked->unprivileged, asked->kfuncs, asked->dev },
				 *ask = &all;
	const uint64_t how = (ask->full ? FEATURES_FULL : 0u) | (ask->unprivileged ? FEATURES_UNPRIVILEGED : 0u);
	struct feature_answer *a;
	uint32_t ifindex = 0;
	int err = ask->dev ? dev_find(env, ask->dev, &ifindex, e) : 0;

	*ret = (struct feature_report){ 0 };
	if (err)
		return err;
	if (ask->kfuncs)
		return callable_read(env, ask, ret, e);
	if (asked->full && saved)
		report_note(env->report, "'full' has no effect on an archive");
	if (!ask->dev)
		feature_config(env, ret);
	err = feature_ask_all(env->machine, how, ifindex, env->keep, &a);
	if (err == -ENODATA && facts_lives(env->machine))
		report_note(
			env->report,
			"`record --features` and `save` try what the kernel can do; this recording was made without");
	if (err)
		/* The refusal was noted. */
		ret->has_probes = ret->has_more = ret->has_refused = AVAIL_UNKNOWN;
	else
		answer_use(env, ask, a, ret);
	if (!ask->dev)
		types_use(env, err ? NULL : a, ret);
	return 0;
}
