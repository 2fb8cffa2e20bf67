/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "feature/feature.h"
#include "feature/report.h"
#include "host/caps.h"
#include "kernel/names.h"
#include "netns/devices.h"
#include "record/field.h"
#include "render/doc.h"

struct probe_opts {
	bool kernel, full, unprivileged, macros, kfuncs;
	const char *dev, *prefix;
};

/* Without capabilities all features would look unavailable. */
int feature_caps_check(const struct env *env, struct err *e)
{
	char names[128];

	if (machine_is_saved(env->machine) || !caps_missing(names, sizeof(names)))
		return 0;
	err_set(e, -EPERM, "missing %s, required for full feature probing; run as root or use 'unprivileged'", names);
	err_hint(e, "'unprivileged' shows what can be done without them");
	return e->code;
}

static int probe_run(struct env *env, const void *opts, struct err *e)
{
	const struct probe_opts *o = opts;
	const struct feature_ask ask = {
		.full = o->full,
		.unprivileged = o->unprivileged,
		.kfuncs = o->kfuncs,
		.dev = o->dev,
	};
	struct feature_report r;
	int err;

	if (o->prefix && !o->macros)
		return err_usage(e, "'prefix' argument can only be used after 'macros'");
	err = o->unprivileged ? 0 : feature_caps_check(env, e);
	if (!err)
		err = feature_read(env, &ask, &r, e);
	if (err)
		return err;
	/* In the bpftool personality only bpftool's sections are printed: the kernel's test_bpftool.py compares the
	 * whole list. */
	if (env->opts->as_bpftool)
		r.has_attach = r.has_refused = r.has_kfuncs = AVAIL_NO;
	if (o->macros && !env->opts->json)
		feature_macros(env, &r, o->prefix ? o->prefix : "");
	else
		feature_print(env, &r);
	return 0;
}

#define FLAG(m, help_, ...) ARG(#m, ARG_FLAG, struct probe_opts, m, help_, ##__VA_ARGS__)
static const struct arg probe_args[] = {
	FLAG(kernel, "the kernel (default)", .rejects = "dev"),
	ARG("dev", ARG_STR, struct probe_opts, dev, "what can be loaded onto a network device", .metavar = "IF",
	    .offers = net_offer_own_devices),
	FLAG(full,
	     "also try bpf_trace_printk, bpf_trace_vprintk and bpf_probe_write_user, for which the kernel enables a trace event, "
	     "and old kernels write to their log"),
	FLAG(unprivileged, "what can be done without capabilities"),
	FLAG(macros, "lines for the C preprocessor; not with -j"),
	FLAG(kfuncs, "only which functions of the kernel programs of each type may call", .rejects = "dev full macros"),
	ARG("prefix", ARG_STR, struct probe_opts, prefix, "prefix of the names of macros", .metavar = "PREFIX"),
};

static const struct command feature_probe = {
	.name = "probe",
	.summary = "show what the kernel supports",
	.help = "Shows settings, program types, map types, helpers that programs of each type may call, instructions, and functions of the kernel. "
		"Each type is tried: with a program that the verifier rejects at its last instruction, so that no program is ever loaded, or with a "
		"map that is closed at once. A program type is available if one of its attach types is; a type that the kernel refuses to the caller "
		"is not, and the reason is shown. A list of helpers is also empty if it depends on the program that is replaced. Names that are "
		"newer than bpflens are read from the kernel's types. With `kfuncs`, a call of each function that the kernel's types mark as "
		"a kfunc (Linux 6.10) is tried in a program of each type, which takes seconds: 'save' does not.",
	.example = "feature probe",
	.schema = &feature_schema,
	ARGS(probe_args, struct probe_opts),
	.flags = CMD_READ,
	.run = probe_run,
};

struct builtins_opts {
	int group;
};
enum { PROG_TYPES, MAP_TYPES, ATTACH_TYPES, LINK_TYPES, HELPERS };
static const char *const group_words[] = { "prog_types", "map_types", "attach_types", "link_types", "helpers" };
static const struct names builtin_groups = NAMES(group_words);

static const char *builtin(int group, uint32_t i)
{
	static const struct name_table *const tables[] = { &names_prog_type, &names_map_type, &names_attach_type,
							   &names_link_type };

	return group == HELPERS ? names_helper(i) : names_of(tables[group], i);
}

static int builtins_run(struct env *env, const void *opts, struct err *e)
{
	const struct builtins_opts *o = opts;
	const char *word;
	struct doc d;

	env_doc(env, &d);
	doc_list(&d, NULL);
	for (uint32_t i = 0; (word = builtin(o->group, i)); i++) {
		if (!doc_is_text(&d)) {
			jsonw_str(doc_value(&d, NULL), word);
			continue;
		}
		doc_text(&d, word);
		doc_text(&d, "\n");
	}
	doc_end(&d);
	env_doc_end(env, &d);
	return 0;
}

static const struct arg builtins_args[] = {
	OPERAND("GROUP", ARG_WORD, struct builtins_opts, group, "group of names to list", .words = &builtin_groups),
};

static const struct command feature_list_builtins = {
	.name = "list_builtins",
	.summary = "list names that bpflens knows, on any kernel",
	.example = "feature list_builtins link_types",
	ARGS(builtins_args, struct builtins_opts),
	.flags = CMD_READ | CMD_NOSOURCE,
	.run = builtins_run,
};

const struct command *const feature_commands[] = { &feature_probe, &feature_list_builtins, &feature_diff, NULL };
