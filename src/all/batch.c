/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"

#include <sys/stat.h>

#include "all/line.h"
#include "base/infile.h"
#include "cli/command.h"
#include "cli/options.h"
#include "record/field.h"
#include "render/doc.h"

#define BATCH_DEPTH 8

struct batch_opts {
	const char *file;
};

/* An archive does not change, so the commands share it. On the running kernel each command reads anew. */
static void lend_archive(struct env *env, struct env *sub)
{
	if (!env->opts->from)
		return;
	env_use(sub, env->machine);
	sub->borrowed = true;
}

static const struct field command_fields[] = {
	FIELD_LIST(line, word, n, FT_STR, "command", "its words", .flags = FIELD_NOPLAIN),
};
static const struct schema schema_line = SCHEMA("command", line, command_fields);

/* The object for one command up to its output, which the command itself writes. */
static void command_begin(struct doc *d, const struct line *l)
{
	doc_object(d, NULL);
	doc_fields(d, &schema_line, l);
	doc_name(d, "output");
}

static int hint_options(const struct line *l, struct err *e)
{
	size_t i;

	for (i = 0; i < l->n && e->status == EXIT_USAGE; i++) {
		if (!options_find(l->word[i]))
			continue;
		e->hint[0] = '\0';
		err_hint(e, "options like %s belong on the command line of the batch, not in its file", l->word[i]);
	}
	return e->code;
}

static int run_line(struct env *env, struct doc *d, const struct line *l, struct err *e)
{
	struct report report = report_inner(env->report);
	struct env sub;
	int err;

	env_init(&sub, env->opts, &report);
	sub.depth = env->depth + 1;
	lend_archive(env, &sub);
	command_begin(d, l);
	err = command_main(&sub, (int)l->n, l->word, e);
	doc_end(d);
	report_merge(env->report, &report);
	report_release(&report);
	env_close(&sub);
	return err ? hint_options(l, e) : 0;
}

static void no_line(struct doc *d, const struct line *l, const struct err *e)
{
	command_begin(d, l);
	doc_error(d, e, NULL, NULL);
	doc_end(d);
}

static int run_file(struct env *env, struct lines *in, struct err *e)
{
	struct line l;
	size_t done = 0;
	struct doc d;
	int err;

	env_doc(env, &d);
	doc_list(&d, NULL);
	for (;;) {
		ARENA_SCOPE(env->arena);

		err = lines_next(in, env->arena, &l, e);
		if (!err)
			break;
		if (err > 0)
			err = run_line(env, &d, &l, e);
		else
			no_line(&d, &l, e);
		if (err) {
			err_in(e, "command %zu, line %zu", done, in->number);
			return e->code;
		}
		done++;
		/* A program that feeds us through a pipe waits for the output. */
		out_flush(env->report->out);
	}
	doc_end(&d);
	doc_text(&d, arena_fmt(env->arena, "processed %zu commands\n", done));
	return 0;
}

static int run_batch(struct env *env, const void *opts, struct err *e)
{
	const struct batch_opts *o = opts;
	bool standard = !strcmp(o->file, "-");
	const int fd = standard ? STDIN_FILENO : infile_open(o->file);
	CLEAN_FILE file = standard || fd < 0 ? NULL : fdopen(fd, "r");
	struct lines in = { .file = standard ? stdin : file };
	struct stat st;
	int err = 0;

	if (env->depth >= BATCH_DEPTH)
		return err_set(e, -ELOOP, "batches are nested deeper than %d", BATCH_DEPTH);
	if (!in.file)
		return err_sys(e, fd < 0 ? fd : -errno, "cannot open file %s", o->file);
	if (!fstat(fileno(in.file), &st) && S_ISDIR(st.st_mode))
		return err_sys(e, -EISDIR, "cannot read file %s", o->file);
	if (env->opts->from)
		err = env_open(env, e);
	if (!err)
		err = run_file(env, &in, e);
	return err;
}

static const struct arg batch_args[] = {
	ARG("file", ARG_PATH, struct batch_opts, file, "file with a command on each line, - for standard input",
	    .metavar = "FILE", .flags = ARG_REQUIRED),
};

const struct command command_batch = {
	.name = "batch",
	.summary = "run commands from a file, until one fails",
	.flags = CMD_READ | CMD_NOSOURCE | CMD_STREAM,
	ARGS(batch_args, struct batch_opts),
	.run = run_batch,
};
