/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "render/items.h"
#include "cli/kind.h"
#include "cli/parse/object.h"
#include "cli/select.h"
#include "iter/attach.h"
#include "object/object.h"
#include "source/source.h"
#include "own/iter.h"
#include "host/pins.h"

#define READ_SIZE (64u << 10)

struct run_opts {
	const char *path, *name;
	struct object_ref prog, link;
	struct iter_opts walk;
};
static const struct arg run_args[] = {
	ARG("FILE", ARG_PATH, struct run_opts, path,
	    "object file with an iterator program, or the pin of an iterator program or its link; else the name or id of a program",
	    .flags = ARG_POSITIONAL | ARG_CHOICE),
	ARG("prog", ARG_OBJECT, struct run_opts, prog, "a loaded iterator program", .kind = &kind_prog,
	    .flags = ARG_CHOICE),
	ARG("link", ARG_OBJECT, struct run_opts, link, "an attached iterator", .kind = &kind_link, .flags = ARG_CHOICE),
	ITER_ARGS(struct run_opts, walk),
	ARG("name", ARG_STR, struct run_opts, name, "name of the program, if an object file has several iterators",
	    .metavar = "NAME", .rejects = "prog link", .offers = object_offer_iters),
};

/* The link to walk, and the program and file that are loaded for the walk. */
struct job {
	struct load load;
	int prog, link;
};
static void job_close(struct job *j)
{
	clean_fd(&j->link);
	clean_fd(&j->prog);
	load_close(&j->load);
}

static int link_of_prog(struct env *env, const struct run_opts *o, struct job *j, const char *what, struct err *e)
{
	if (j->prog < 0)
		return j->prog;
	j->link = iter_attach(env, j->prog, what, &o->walk, e);
	return j->link < 0 ? j->link : 0;
}

/* A file in a bpffs is a pin, any other one is an object file. */
static int job_of_path(struct env *env, const struct run_opts *o, struct job *j, struct err *e)
{
	enum object_kind kind;
	uint32_t id;
	int fd = pins_open(o->path, false, &kind, &id), err;

	if (fd < 0) {
		if (fd != -EXDEV && fd != -ENOENT && fd != -EINVAL)
			return pins_explain(o->path, fd, e);
		err = iter_load(&j->load, env, o->path, o->name, NULL, e);
		if (err)
			return err;
		j->link = iter_attach_loaded(&j->load, &o->walk, e);
		return j->link < 0 ? j->link : 0;
	}
	*(kind == OBJECT_PROG ? &j->prog : &j->link) = fd;
	if (o->name)
		return err_usage(e, "'name' chooses a program of an object file, and %s is a pin", o->path);
	if (kind == OBJECT_PROG)
		return link_of_prog(env, o, j, o->path, e);
	if (kind != OBJECT_LINK)
		return err_set(e, -EMEDIUMTYPE, "%s is neither a program nor a link", o->path);
	return iter_no_opts(&o->walk, e);
}

/* A word that is neither a file nor a pin is a loaded program. */
static bool is_prog(struct env *env, const char *word, struct object_ref *ret)
{
	struct err why = { 0 };

	return !strpbrk(word, "./") && access(word, F_OK) &&
	       parser_ref(env, &kind_prog, &(struct arg_list){ &word, 1 }, ret, &why);
}

static int job_begin(struct env *env, const struct run_opts *o, struct job *j, struct err *e)
{
	struct object_ref prog = o->prog;

	if (o->path && (o->name || !is_prog(env, o->path, &prog)))
		return job_of_path(env, o, j, e);
	if (prog.by) {
		j->prog = select_open(env, &kind_prog, &prog, NULL, e);
		return link_of_prog(env, o, j, "the program", e);
	}
	if (iter_no_opts(&o->walk, e))
		return e->code;
	j->link = select_open(env, &kind_link, &o->link, NULL, e);
	return j->link < 0 ? j->link : 0;
}

/* JSON: a string for each line. The last line may have no newline. */
static void lines_print(struct items *it, struct str *text, bool end)
{
	const char *p = text->p, *stop = text->p + text->n, *line;

	while (p < stop) {
		line = memchr(p, '\n', (size_t)(stop - p));
		if (!line && !end)
			break;
		jsonw_strn(item_begin(it), p, (size_t)((line ? line : stop) - p));
		item_end(it);
		p = line ? line + 1 : stop;
	}
	text->n = (size_t)(stop - p);
	if (text->n)
		memmove(text->p, p, text->n);
}

/* Print up to the last newline, if there is one, because the text after it may end within a character. */
static void iter_text_print(struct out *o, struct str *text, bool end)
{
	const char *nl = end ? NULL : memrchr(text->p, '\n', text->n);
	size_t n = nl ? (size_t)(nl - text->p) + 1 : text->n;

	out_copy(o, text->p, n);
	text->n -= n;
	memmove(text->p, text->p + n, text->n);
}

/* Plain text is the output of the BPF program, as it comes. */
static void walked_print(struct items *it, struct out *o, struct str *text, bool end)
{
	if (items_are_text(it))
		iter_text_print(o, text, end);
	else
		lines_print(it, text, end);
}

static int walk_print(struct env *env, int fd, struct err *e)
{
	struct items it;
	STR text = { 0 };
	ssize_t n;

	items_begin(&it, env->report, false);
	for (;;) {
		str_reserve(&text, READ_SIZE);
		n = iter_read(fd, text.p + text.n, READ_SIZE);
		if (n <= 0 || out_dead(env->report->out))
			break;
		text.n += (size_t)n;
		walked_print(&it, env->report->out, &text, false);
		out_flush(env->report->out);
	}
	walked_print(&it, env->report->out, &text, true);
	items_end(&it);
	return n < 0 ? err_sys(e, (int)n, "the walk ended early") : 0;
}

static int run_run(struct env *env, const void *opts, struct err *e)
{
	__attribute__((cleanup(job_close))) struct job j = { .prog = -1, .link = -1 };
	CLEAN_FD fd = -1;
	int err = job_begin(env, opts, &j, e);

	if (err)
		return err;
	source_idle(env->machine->src);
	fd = iter_open(j.link);
	if (fd < 0) {
		err_sys(e, fd, "cannot begin a walk");
		return fd == -EINVAL ? err_hint(e, "the link is not a link of an iterator") : fd;
	}
	return walk_print(env, fd, e);
}

const struct command iter_run_command = {
	.name = "run",
	.summary = "run an iterator once, and leave nothing behind",
	.help = "For an object file, the chosen program is loaded for the walk; for a program, a link is created for "
		"the walk; a link or its pin is walked once more. The output of the program is printed as it comes. "
		"In JSON it is a list of lines; with --ndjson each line of text is one line.",
	.example = "iter run dump_task.bpf.o pid 1",
	ARGS(run_args, struct run_opts),
	.flags = CMD_WRITE | CMD_TEXT | CMD_OURS | CMD_STREAM,
	.run = run_run,
};
