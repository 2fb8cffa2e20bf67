/* SPDX-License-Identifier: BSD-2-Clause */
#include "info/info.h"

#include "cli/command.h"
#include "cli/complete.h"
#include "info/info_perf.h"
#include "render/doc.h"

struct info_opts {
	struct arg_list files;
};

/* The note about what the file lacks is in the record. */
static void info_print(struct env *env, const char *path, struct doc *d)
{
	const void *rec = info_read(env, path);

	env->report->note[0] = '\0';
	doc_record(d, &info_schema, rec);
}

static int run_info(struct env *env, const void *opts, struct err *e)
{
	const struct info_opts *o = opts;
	struct doc d;
	int err = o->files.n ? 0 : env_open(env, e);

	if (err)
		return err;
	env_doc(env, &d);
	if (o->files.n != 1 && o->files.n)
		doc_list(&d, NULL);
	if (!o->files.n)
		info_print(env, env->opts->from, &d);
	for (size_t i = 0; !err && i < o->files.n; i++) {
		struct env other;

		if (info_perf_is(o->files.word[i])) {
			err = info_perf_print(env, o->files.word[i], &d, e);
			continue;
		}
		err = env_other(env, o->files.word[i], &other, e);
		if (err)
			break;
		info_print(&other, o->files.word[i], &d);
		env_other_end(&other);
	}
	if (o->files.n > 1)
		doc_end(&d);
	env_doc_end(env, &d);
	return err;
}

static const struct arg info_args[] = {
	ARG("FILE", ARG_REST, struct info_opts, files,
	    "a file that `save` or `record` or perf wrote, or live: the running kernel, which is the default",
	    .metavar = "FILE", .offers = complete_files),
};

static const struct schema *const info_parts[] = { &info_perf_schema, NULL };

const struct command command_info = {
	.name = "info",
	.summary = "print what a file is: host, kernel, time, and what it has and lacks",
	.example = "info",
	.schema = &info_schema,
	.parts = info_parts,
	.flags = CMD_READ | CMD_NOSOURCE | CMD_OURS,
	ARGS(info_args, struct info_opts),
	.run = run_info,
};
