/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "cli/env.h"
#include "gen/commands.h"
#include "gen/file.h"
#include "gen/gen.h"
#include "gen/header.h"
#include "gen/light.h"

struct header_opts {
	const char *object, *name, *file;
	bool incbin;
	struct loader_opts loader;
};
#define HEADER_ARGS \
	OPERAND("OBJ", ARG_PATH, struct header_opts, object, "object file"), \
		ARG("name", ARG_STR, struct header_opts, name, \
		    "name of its structs and functions, and of the object in libbpf; default: from the file, x_bpf for x.bpf.o", \
		    .metavar = "NAME"), \
		ARG("file", ARG_PATH, struct header_opts, file, "file to write to, instead of standard output", \
		    .metavar = "PATH", .output = true)
static const struct arg subskeleton_args[] = { HEADER_ARGS };
static const struct arg skeleton_args[] = {
	HEADER_ARGS,
	ARG("incbin", ARG_FLAG, struct header_opts, incbin,
	    "read the object's bytes from its file when the header is compiled, which is faster for large objects",
	    .rejects = "--use-loader --sign"),
	LOADER_ARGS(
		struct header_opts, loader,
		"a light skeleton, which works without libbpf: it runs a program that loads the object, made with the types of this kernel"),
};

/* What this kind of header needs from the object in addition. */
static int header_prepare(struct env *env, struct gen_object *o, const struct header_opts *opts, header_put *put,
			  struct light *light, struct err *e)
{
	if (put == light_put)
		return light_make(light, &opts->loader, o, env->keep, e) ? err_in(e, "%s", opts->object) : 0;
	if (put == skeleton_put || o->types)
		return 0;
	err_set(e, -ENODATA, "%s has no BTF, which is needed to find variables", opts->object);
	return err_hint(e, "compile it with -g");
}

/* The absolute path, which must be valid in a string within a string. */
static int path_find(struct header *h, struct arena *a, const char *path, struct err *e)
{
	CLEAN_PTR char *whole = realpath(path, NULL);

	if (!whole)
		return err_sys(e, -errno, "cannot read %s", path);
	for (const char *p = whole; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\')
			return err_set(e, -EINVAL, "assemblers may not accept this name: %s", whole);
	h->incbin = arena_fmt(a, "%s", whole);
	return 0;
}

static int header_make(struct env *env, const struct header_opts *opts, header_put *put, struct err *e)
{
	GEN_OBJECT(o);
	struct light light;
	struct header h;
	struct out text;
	int err = gen_object_open(&o, env, opts->object, opts->name, e);

	if (!err)
		err = header_prepare(env, &o, opts, put, &light, e);
	header_init(&h, &o, env->keep, &text);
	h.light = opts->loader.use ? &light : NULL;
	if (!err && opts->incbin)
		err = path_find(&h, env->keep, opts->object, e);
	if (err)
		return err;
	out_init(&text, -1);
	put(&h);
	if (opts->file)
		err = gen_file_write(opts->file, text.buf, text.n, e);
	else
		out_bytes(env->report->out, text.buf, text.n);
	out_close(&text, NULL);
	return err;
}

static int skeleton_run(struct env *env, const void *opts, struct err *e)
{
	struct header_opts o = *(const struct header_opts *)opts;
	int err = loader_opts_complete(&o.loader, e);

	return err ? err : header_make(env, &o, o.loader.use ? light_put : skeleton_put, e);
}

static int subskeleton_run(struct env *env, const void *opts, struct err *e)
{
	return header_make(env, opts, subskeleton_put, e);
}

static const struct command gen_skeleton = {
	.name = "skeleton",
	.summary = "write a C header with the object's bytes, handles and variables",
	.help = "The header has everything that a program needs to open, load, attach and destroy the object: "
		"functions such as NAME__open_and_load(), and struct NAME with its maps, programs, links and the "
		"variables of its data sections. It is for C and C++, and libbpf 1.1 and newer. Structs that are "
		"types of variables must be defined before it is included.",
	.example = "gen skeleton trace.bpf.o name trace",
	ARGS(skeleton_args, struct header_opts),
	.flags = CMD_NOSOURCE | CMD_TEXT,
	.run = skeleton_run,
};

static const struct command gen_subskeleton = {
	.name = "subskeleton",
	.summary = "write a C header for code that shares an object with its program",
	.help = "The header does not have the object's bytes: NAME__open() finds maps, programs and variables in an "
		"object that the program has opened, and that the object file was linked into. It is for libraries "
		"with a part in BPF.",
	.example = "gen subskeleton lib.bpf.o name lib",
	ARGS(subskeleton_args, struct header_opts),
	.flags = CMD_NOSOURCE | CMD_TEXT,
	.run = subskeleton_run,
};

const struct command *const gen_commands[] = { &gen_link, &gen_skeleton, &gen_subskeleton, &gen_min_core_btf, NULL };
