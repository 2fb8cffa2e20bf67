/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <locale.h>
#include <time.h>

#include "base/message.h"
#include "base/paint.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/options.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "host/caps.h"
#include "kernel/log.h"

/*
 * Open those of the descriptors 0, 1 and 2 that are closed, such that reading and writing fail with EBADF as before, so
 * that no file opened later becomes standard output. Call it before anything else is opened. 0 or -errno.
 */
static int stdfds_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* Not /dev/null: writing must fail where output would be lost, and a container may have no /dev. */
		if (open("/", O_PATH) < 0)
			return -errno;
	}
	return 0;
}

static bool called_bpftool(const char *name)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	return name && !strcmp(slash ? slash + 1 : name, "bpftool");
}

static bool env_is_set(const char *name)
{
	const char *v = getenv(name);

	return v && *v && strcmp(v, "0") != 0;
}

static const char *env_text(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

/* The head of a line on standard error, which is coloured independently: standard output may be a file. */
static struct message_head head_of(const struct globals *opts, const char *word, enum role role)
{
	struct out o = { .fd = STDERR_FILENO, .tty = isatty(STDERR_FILENO) };

	out_color_mode(&o, opts->color);
	return (struct message_head){ word, o.color ? opts->colors.sgr[role] : NULL };
}

/*
 * The only place where errors are printed. Scripts that call bpftool look for its word "Error:". @log: libbpf's
 * messages.
 */
static void print_error(const struct globals *opts, const struct err *e, const char *log)
{
	const struct message_head head = head_of(opts, opts->as_bpftool ? "Error:" : "bpflens:", ROLE_ERROR);

	if (e->status == EXIT_USAGE)
		message_with_head(head, "%s", e->msg);
	else
		message_with_head(head, "%s [%s]", e->msg, err_name(e->code));
	message_lines(log);
	/* A usage is long, and is wrapped; a sentence stays on one line for programs that read it. */
	if (e->hint[0])
		message_fill(str_starts(e->hint, "usage: ") ? 80 : 0, head_of(opts, "hint:", ROLE_NOTE), e->hint);
}

static void print_unread(const struct env *env)
{
	if (env->report->unread_why[0])
		message("bpflens: %zu object%s could not be read: %s", env->report->unread, plural(env->report->unread),
			env->report->unread_why);
	else if (!env->report->refused.n)
		message("bpflens: %zu object%s read only in part", env->report->unread,
			env->report->unread == 1 ? " was" : "s were");
}

static void print_refused(const struct report *r)
{
	for (const char *p = r->refused.p; p && *p; p = strchr(p, '\n') + 1)
		message("bpflens: cannot read %.*s", (int)strcspn(p, "\n"), p);
	if (r->nomitted)
		message("bpflens: cannot read %zu more", r->nomitted);
}

static int line_run(struct env *env, int argc, const char *const *argv, struct err *e)
{
	static const char *const version[] = { "version" };
	int err;

	env->report->out->wide = env->opts->wide;
	env->report->out->palette = &env->opts->colors;
	err = out_color_mode(env->report->out, env->opts->color);

	if (err)
		return err_usage(e, "--color is auto, always or never");
	return env->opts->version ? command_main(env, 1, version, e) : command_main(env, argc, argv, e);
}

/* Print what remains when the document is complete. Returns the exit status. */
static int failure_report(const struct env *env, const struct err *e, const struct err *write)
{
	if (e->code) {
		report_explain(env->report);
		if (env->report->in_document && !write->code)
			message_lines(log_unseen());
		else
			print_error(env->opts, e, log_unseen());
		return err_exit_status(e);
	}
	if (write->code) {
		print_error(env->opts, write, "");
		return err_exit_status(write);
	}
	if (env->report->unlisted[0])
		message("bpflens: cannot list %s: %s", env->report->unlisted, strerror(-env->report->unlisted_why));
	if (env->report->unread)
		print_unread(env);
	print_refused(env->report);
	if (env->report->missed_live && proc_missing())
		message("hint: /proc is not mounted here, and there is no other source");
	if (env->report->missed_id && !caps_by_id())
		message("hint: opening an object by its id needs CAP_SYS_ADMIN; a pin, only the permissions of its file");
	if (env->report->unseen)
		message_with_head(head_of(env->opts, "note:", ROLE_NOTE), REPORT_UNSEEN, err_name(env->report->unseen));
	if (env->report->note[0] || env->report->empty)
		message_with_head(head_of(env->opts, "note:", ROLE_NOTE), "%s",
				  env->report->note[0]		 ? env->report->note :
				  report_is_partial(env->report) ? "none found in what could be read" :
								   "none found");
	return report_is_partial(env->report) ? EXIT_PARTIAL : env->report->differs ? 1 : env->report->status;
}

/* As diff(1): 1 means "they differ", and 2 any failure, unless the command reports that a file is missing. */
static int report_status(const struct env *env, const struct err *e, const struct err *write)
{
	int status = failure_report(env, e, write);
	bool failed = e->code || write->code || status == EXIT_PARTIAL;

	return failed && env->command && env->command->flags & CMD_DIFF && e->status != EXIT_NOT_FOUND ? 2 : status;
}

/* Print after two seconds, then once per second. */
static void show_progress(struct progress *p, const char *what, uint64_t n)
{
	int64_t now = time(NULL);

	if (!p->since)
		p->since = now;
	if (now - p->since < (p->shown ? 1 : 2))
		return;
	message_progress("%s %llu elements", what, llu(n));
	p->since = now;
	p->shown = true;
}

/* Complete the document when memory has run out: nothing here allocates any. */
static void complete_json(void *p)
{
	struct jsonw *w = p;

	if (!w->values)
		return;
	jsonw_close(w, 0);
	out_char(w->out, '\n');
	out_flush(w->out);
}

int main(int argc, char **argv)
{
	struct globals opts = { .color = "auto",
				.as_bpftool = called_bpftool(argv[0]),
				.no_load = env_is_set("BPFLENS_NO_LOAD"),
				.trace = env_is_set("BPFLENS_TRACE"),
				.from = env_text("BPFLENS_FROM") };
	struct progress progress = { .show = show_progress };
	struct err e = { 0 }, write = { 0 }, colors = { 0 };
	/* In place, not allocated: what -j promises holds from the first allocation on. */
	struct options_rest rest = { .word = (const char **)argv };
	struct report report = { .progress = isatty(STDERR_FILENO) ? &progress : NULL };
	struct out out;
	struct jsonw jw;
	struct env env;
	int status;

	if (stdfds_fill())
		return EXIT_FAILED;
	signals_begin();
	setlocale(LC_CTYPE, "C.UTF-8"); /* for wcwidth(); without it each character takes one column */
	opts.froms[0] = opts.from;
	palette_parse(&opts.colors, env_text("BPFLENS_COLORS"), env_text("COLORFGBG"), env_text("TERM"), &colors);
	options_parse(&opts, argc > 0 ? argc - 1 : 0, (const char *const *)argv + (argc > 0), &rest, &e);
	opts.trace |= opts.debug;
	if (opts.json)
		arena_last.words = "{\"error\":\"out of memory\",\"errno\":\"ENOMEM\"}\n";
	if (colors.code)
		message_with_head(head_of(&opts, "note:", ROLE_NOTE), "%s", colors.msg);
	log_start(opts.debug);
	out_init(&out, STDOUT_FILENO);
	jsonw_init(&jw, &out, opts.pretty);
	report.out = &out;
	report.strict = opts.strict;
	report.hide = opts.as_bpftool ? FIELD_OURS : 0;
	if (opts.json)
		report_json(&report, &jw, opts.ndjson);
	arena_last.complete = opts.json ? complete_json : NULL;
	arena_last.p = &jw;
	env_init(&env, &opts, &report);
	if (!e.code)
		line_run(&env, rest.n, rest.word, &e);
	else
		report_error(&report, &e);
	if (progress.shown)
		message_progress_end();
	if (jw.values)
		out_char(&out, '\n');
	out_close(&out, &write);
	status = report_status(&env, &e, &write);
	env_close(&env);
	report_release(&report);
	log_stop();
	return status;
}
