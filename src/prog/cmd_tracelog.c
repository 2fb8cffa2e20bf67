/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "cli/env.h"
#include "cli/select.h"
#include "host/stop.h"
#include "host/tracefs.h"
#include "kernel/bpf.h"
#include "prog/prog.h"
#include "record/field.h"
#include "render/doc.h"

struct tracelog_opts {
	int stream; /* index of stream_words */
	struct object_ref prog;
	uint64_t count;
};
static const char *const stream_words[] = { NULL, "stdout", "stderr" }; /* indexed by the kernel's numbers */
static const struct names stream_names = NAMES(stream_words);
static const struct arg tracelog_args[] = {
	ARG("STREAM", ARG_WORD, struct tracelog_opts, stream,
	    "output of one program (bpf_stream_vprintk()), instead of the trace of all programs",
	    .words = &stream_names, .flags = ARG_POSITIONAL),
	ARG(NULL, ARG_OBJECT, struct tracelog_opts, prog, "that program", .flags = ARG_POSITIONAL),
	ARG("--count", ARG_U64, struct tracelog_opts, count, "end after this many lines", .metavar = "N",
	    .flags = ARG_NONZERO),
};

/* Splits bytes into lines; the last line may lack its newline. */
struct log_lines {
	struct doc doc;
	struct str rest;
	uint64_t nprinted, count; /* count 0: no limit */
};

static bool lines_done(const struct log_lines *l)
{
	return (l->count && l->nprinted >= l->count) || doc_dead(&l->doc);
}

static void lines_add(struct log_lines *l, const char *p, size_t n)
{
	const char *end;

	while (!lines_done(l) && (end = memchr(p, '\n', n))) {
		size_t len = (size_t)(end - p) + 1;

		str_add(&l->rest, p, len);
		doc_line(&l->doc, l->rest.p, l->rest.n);
		str_reset(&l->rest);
		l->nprinted++;
		p += len;
		n -= len;
	}
	if (!lines_done(l))
		str_add(&l->rest, p, n);
}

static void lines_end(struct log_lines *l)
{
	if (l->rest.n && !lines_done(l))
		doc_line(&l->doc, l->rest.p, l->rest.n);
	str_release(&l->rest);
}

static int pipe_read(struct env *env, struct log_lines *l, int fd, struct err *e)
{
	STOP stop = { .fd = -1 };
	char buf[4096];
	ssize_t n;
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "cannot wait");
	stop.output = STDOUT_FILENO;
	env_waits(env, "waiting for lines in the trace pipe");
	while (!lines_done(l)) {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			lines_add(l, buf, (size_t)n);
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			return err_sys(e, -errno, "cannot read the trace pipe");
		out_flush(env->report->out);
		if (stop_wait(&stop, fd, n > 0 ? 0 : -1))
			return 0;
	}
	return 0;
}

static int trace_open(struct err *e)
{
	int fd = tracefs_pipe();

	if (fd >= 0)
		return fd;
	err_sys(e, fd, "cannot open the trace pipe");
	return fd == -EBUSY ? err_hint(e, "another process reads it, and each line goes to one reader only") : fd;
}

static int tracelog_read(struct log_lines *l, int fd, uint32_t stream, struct err *e)
{
	char buf[4096];
	int n = 0;

	while (!lines_done(l) && (n = sys_prog_stream(fd, stream, buf, sizeof(buf))) > 0)
		lines_add(l, buf, (size_t)n);
	if (n >= 0)
		return 0;
	err_sys(e, n, "cannot read the program's %s", stream_words[stream]);
	return n == -EINVAL ? err_hint(e, "streams of programs need Linux 6.17") : n;
}

static int tracelog_run(struct env *env, const void *opts, struct err *e)
{
	const struct tracelog_opts *o = opts;
	struct log_lines l = { .count = o->count };
	CLEAN_FD fd = -1;
	int err;

	if (o->stream && !o->prog.by)
		return err_usage(e, "'%s' needs a program: the one whose stream to print", stream_words[o->stream]);
	fd = o->stream ? select_open(env, &kind_prog, &o->prog, NULL, e) : trace_open(e);
	if (fd < 0)
		return fd;
	report_doc(env->report, env->keep, &l.doc);
	doc_stream(&l.doc, NULL);
	err = o->stream ? tracelog_read(&l, fd, (uint32_t)o->stream, e) : pipe_read(env, &l, fd, e);
	lines_end(&l);
	doc_end(&l.doc);
	report_doc_end(env->report, &l.doc);
	return err;
}

const struct command prog_tracelog = {
	.name = "tracelog",
	.summary = "print the output of programs as it appears",
	.help = "By default prints the kernel's trace pipe, until it is interrupted: the output of bpf_printk(), and "
		"enabled trace events. Nothing is mounted for this. Each line goes to one reader: another tool that "
		"reads the pipe does not see it. With stdout or stderr, prints what is in that stream of a program, "
		"and removes it from there.",
	.example = "prog tracelog stderr name count_exits",
	ARGS(tracelog_args, struct tracelog_opts),
	.flags = CMD_WRITE | CMD_STREAM,
	.run = tracelog_run,
};
