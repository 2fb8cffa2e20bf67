/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"

#include "base/clean.h"
#include "base/out.h"
#include "cli/command.h"
#include "prog/disasm.h"
#include "render/jsonw.h"
#include "kernel/log.h"

/* bpftool's words; what is not there yet is said to be absent. */
static const bool yes = true, no = false;
static const struct { const char *name; const bool *there; } features[] = {
	{ "libbfd", &disasm_built }, { "llvm", &no }, { "crypto", &no }, { "skeletons", &yes }, { "bootstrap", &no },
};

static void print_json(struct jsonw *w)
{
	size_t i;

	jsonw_object(w);
	jsonw_name(w, "version");
	jsonw_str(w, BPFLENS_VERSION);
	jsonw_name(w, "libbpf_version");
	jsonw_str(w, log_library());
	jsonw_name(w, "features");
	jsonw_object(w);
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		jsonw_name(w, features[i].name);
		jsonw_bool(w, *features[i].there);
	}
	jsonw_end(w);
	jsonw_end(w);
}

static int run_version(struct env *env, const void *opts, struct err *e)
{
	const char *before = " ";
	size_t i;

	(void)opts;
	(void)e;
	if (env->report->jw) {
		print_json(env->report->jw);
		return 0;
	}
	out_fmt(env->report->out, "bpflens v" BPFLENS_VERSION "\nusing libbpf v%s\nfeatures:", log_library());
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!*features[i].there)
			continue;
		out_fmt(env->report->out, "%s%s", before, features[i].name);
		before = ", ";
	}
	out_char(env->report->out, '\n');
	return 0;
}

const struct command command_version = {
	.name = "version", .summary = "versions of the program and its libraries",
	.example = "version", .flags = CMD_READ | CMD_NOSOURCE, .run = run_version,
};
