/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "feature/report.h"
#include "record/field.h"

/* A header for C programs that depend on features of the kernel, with bpftool's names. */

static void section(struct report *to, const char *title, const struct feature *all, uint32_t n, const char *prefix)
{
	struct out *o = to->out;

	out_fmt(o, "/*** %s ***/\n", title);
	for (uint32_t i = 0; i < n; i++) {
		/* For a compiler, an unknown feature is not available; the exit status reports that it is unknown. */
		to->unread += all[i].known == AVAIL_UNKNOWN;
		out_fmt(o, "#define %s%sHAVE_%s\n", prefix, all[i].known == AVAIL_YES && all[i].have ? "" : "NO_",
			all[i].macro);
	}
	out_char(o, '\n');
}

static void config(struct out *o, const struct feature_report *r, const char *prefix)
{
	out_str(o, "/*** Misc kernel config items ***/\n");
	for (uint32_t i = 0; i < r->nconfig; i++) {
		const char *value = r->config[i].value;

		if (strcmp(r->config[i].key, "CONFIG_HZ"))
			continue;
		if (*value == '"')
			out_fmt(o, "#define %sCONFIG_HZ %.*s\n", prefix, (int)strcspn(value + 1, "\""), value + 1);
		else
			out_fmt(o, "/* %sCONFIG_HZ is not set */\n", prefix);
	}
	out_char(o, '\n');
}

static void helpers(struct report *to, const struct feature_report *r, const char *prefix)
{
	struct out *o = to->out;

	out_fmt(o,
		"/*** eBPF helper functions ***/\n"
		"/*\n"
		" * Use %sHAVE_PROG_TYPE_HELPER(prog_type_name, helper_name)\n"
		" * to determine if <helper_name> is available for <prog_type_name>,\n"
		" * e.g.\n"
		" *\t#if %sHAVE_PROG_TYPE_HELPER(xdp, bpf_redirect)\n"
		" *\t\t// do stuff with this helper\n"
		" *\t#elif\n"
		" *\t\t// use a workaround\n"
		" *\t#endif\n"
		" */\n"
		"#define %sHAVE_PROG_TYPE_HELPER(prog_type, helper)\t\\\n"
		"\t%sBPF__PROG_TYPE_ ## prog_type ## __HELPER_ ## helper\n",
		prefix, prefix, prefix, prefix);
	for (uint32_t i = 0; i < r->nhelpers; i++) {
		to->unread += r->helpers[i].known == AVAIL_UNKNOWN;
		for (uint32_t id = 1; id < r->nids; id++)
			if (r->helper[id])
				out_fmt(o, "#define %sBPF__PROG_TYPE_%s__HELPER_%s %d\n", prefix, r->helpers[i].type,
					r->helper[id], r->helpers[i].can[id]);
	}
	out_char(o, '\n');
}

void feature_macros(struct env *env, const struct feature_report *r, const char *prefix)
{
	struct out *o = env->report->out;

	if (r->has_config == AVAIL_YES)
		config(o, r, prefix);
	if (r->has_probes == AVAIL_YES)
		section(env->report, "System call availability", r->syscalls, r->nsyscalls, prefix);
	if (r->has_more != AVAIL_YES)
		return;
	section(env->report, "eBPF program types", r->progs, r->nprogs, prefix);
	section(env->report, "eBPF map types", r->maps, r->nmaps, prefix);
	helpers(env->report, r, prefix);
	section(env->report, "eBPF misc features", r->misc, r->nmisc, prefix);
}
