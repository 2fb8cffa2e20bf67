/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/select.h"
#include "prog/xlated.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "render/render.h"

struct dump_opts {
	int what;
	struct object_ref prog;
	bool opcodes, linum;
	const char *file;
};
enum { ARG_WHAT, ARG_PROG, ARG_OPCODES, ARG_LINUM, ARG_FILE };

static const char *const what_words[] = { "xlated" };
static const struct names what_names = NAMES(what_words);

static const struct arg dump_args[] = {
	[ARG_WHAT] = { .name = "xlated", .help = "the instructions as the verifier left them", .type = ARG_WORD,
		       .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = offsetof(struct dump_opts, what),
		       .words = &what_names },
	[ARG_PROG] = { .help = "one program, or all of that name or tag", .type = ARG_OBJECT,
		       .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = offsetof(struct dump_opts, prog) },
	[ARG_OPCODES] = { .name = "opcodes", .help = "the bytes of each instruction below it", .type = ARG_FLAG,
			  .off = offsetof(struct dump_opts, opcodes) },
	[ARG_LINUM] = { .name = "linum", .help = "file, line and column behind each source line", .type = ARG_FLAG,
			.off = offsetof(struct dump_opts, linum) },
	[ARG_FILE] = { .name = "file", .metavar = "PATH", .help = "write the bytes of one program to a file",
		       .type = ARG_PATH, .off = offsetof(struct dump_opts, file),
		       .rejects = 1u << ARG_OPCODES | 1u << ARG_LINUM },
};

static int bytes_write(int fd, const unsigned char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* In place, because the path may be a device or a pipe; half a file is removed. */
static int image_write(const struct xlated *x, const char *path, struct err *e)
{
	CLEAN_FD fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct stat st;
	int err;

	if (fd < 0)
		return err_sys(e, -errno, "cannot open %s", path);
	err = bytes_write(fd, x->image.p, x->image.n);
	if (!err && close(TAKE_FD(fd)))
		err = -errno;
	if (!err)
		return 0;
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	return err_sys(e, err, "cannot write %s", path);
}

/* Above the code of one of several programs: who it is. */
static void head_print(struct env *env, const struct prog_rec *rec)
{
	struct schema head = schema_prog;

	if (!env->jw) {
		render_plain_headline(env->out, &schema_prog, rec);
		out_char(env->out, '\n');
		return;
	}
	/* bpftool's header ends before the device. */
	head.n = (size_t)(schema_find(&schema_prog, NULL, "dev", NULL) - schema_prog.fields);
	jsonw_object(env->jw);
	render_json_fields(env->jw, &head, rec, 0, &env->unread);
	jsonw_name(env->jw, "insns");
}

enum place { ALONE, FIRST, LATER };

static int one_dump(struct env *env, const struct dump_opts *o, uint32_t id, enum place place, struct err *e)
{
	const struct xlated_style style = { .opcodes = o->opcodes, .linum = o->linum };
	struct prog_rec rec = { 0 };
	struct xlated x;
	int err = prog_read(env, id, place == ALONE ? 0 : NEED_BTF, &rec, e);

	if (!err)
		err = xlated_read(env, id, &rec.info, &x, e);
	if (err)
		return err;
	if (o->file)
		return image_write(&x, o->file, e);
	if (place == LATER && !env->jw)
		out_char(env->out, '\n');
	if (place != ALONE)
		head_print(env, &rec);
	if (env->jw)
		xlated_json(&x, &style, env->jw);
	else
		xlated_plain(&x, &style, env->out);
	if (place != ALONE && env->jw)
		jsonw_end(env->jw);
	return 0;
}

/* Programs that are gone meanwhile are left out; those that cannot be read are counted. */
static void several_dump(struct env *env, const struct dump_opts *o, const uint32_t *ids, size_t n)
{
	enum place place = FIRST;

	if (env->jw)
		jsonw_array(env->jw);
	for (size_t i = 0; i < n && !out_dead(env->out); i++) {
		size_t mark = arena_mark(env->arena);
		struct err why = { 0 };
		int err = one_dump(env, o, ids[i], place, &why);

		if (!err)
			place = LATER;
		else if (err != -ENOENT)
			env_unread(env, &why);
		arena_rewind(env->arena, mark);
	}
	if (env->jw)
		jsonw_end(env->jw);
}

static int dump_run(struct env *env, const void *opts, struct err *e)
{
	const struct dump_opts *o = opts;
	const uint32_t *ids;
	uint32_t one;
	size_t n;
	int err;

	if (o->file && !strcmp(o->file, "-"))
		return err_usage(e, "'file' writes raw bytes, and not to standard output: name a file");
	if (o->file)
		err = select_one(env, &kind_prog, &o->prog, &one, e);
	else
		err = select_objects(env, &kind_prog, &o->prog, &ids, &n, e);
	if (err)
		return err;
	if (o->file || n == 1)
		return one_dump(env, o, o->file ? one : ids[0], ALONE, e);
	several_dump(env, o, ids, n);
	return 0;
}

const struct command prog_dump = {
	.name = "dump",
	.summary = "print the instructions of a program",
	.help = "Prints what runs, which is what the verifier made of the object file: with the signature of each function and "
		"the line of source that instructions come from, where the program has type information. Calls are shown by "
		"name, references to maps by id.",
	.example = "prog dump xlated name count_exits linum",
	ARGS(dump_args),
	.opts_size = sizeof(struct dump_opts),
	.flags = CMD_READ,
	.run = dump_run,
};
