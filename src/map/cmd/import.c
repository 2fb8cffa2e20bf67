/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json_cutter.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/select.h"
#include "map/elem/batches.h"
#include "map/open.h"
#include "map/elem/portable.h"
#include "map/elem/replace.h"
#include "render/jsonw.h"
#include "kernel/elem.h"

#define FAILURES 100u
#define PROGRESS 4096u

struct import_opts {
	struct object_ref map;
	const char *path;
	bool any, exist, noexist, dry_run, replace;
	uint32_t failures;
	uint64_t skip;
};

#define NOT(a, b) (1u << (a) | 1u << (b))
enum { ARG_MAP, ARG_FILE, ARG_ANY, ARG_EXIST, ARG_NOEXIST, ARG_SKIP = ARG_NOEXIST + 3 };
static const struct arg import_args[] = {
	{ .name = "MAP", .help = "the map", .type = ARG_OBJECT, .flags = ARG_REQUIRED | ARG_POSITIONAL,
	  .off = offsetof(struct import_opts, map) },
	{ .name = "file", .help = "JSON: an array of elements, or one a line; - or none: standard input", .type = ARG_PATH,
	  .off = offsetof(struct import_opts, path) },
	{ .name = "any", .help = "write all elements, as without a word", .type = ARG_FLAG, .off = offsetof(struct import_opts, any),
	  .rejects = NOT(ARG_EXIST, ARG_NOEXIST) },
	{ .name = "exist", .help = "only those whose key is there", .type = ARG_FLAG, .off = offsetof(struct import_opts, exist),
	  .rejects = NOT(ARG_ANY, ARG_NOEXIST) },
	{ .name = "noexist", .help = "only those whose key is not there", .type = ARG_FLAG,
	  .off = offsetof(struct import_opts, noexist), .rejects = NOT(ARG_ANY, ARG_EXIST) },
	{ .name = "--dry-run", .help = "check every element against the map's types and sizes, and write nothing", .type = ARG_FLAG,
	  .off = offsetof(struct import_opts, dry_run) },
	{ .name = "--failures", .metavar = "N", .help = "stop after so many elements that cannot be written (100)", .type = ARG_U32,
	  .off = offsetof(struct import_opts, failures) },
	[ARG_SKIP] = { .name = "--skip", .metavar = "N", .help = "begin behind the first N elements, to go on where an import stopped",
	  .type = ARG_U64, .off = offsetof(struct import_opts, skip) },
	{ .name = "--replace", .help = "take out the elements that the file does not have, and then write; reads the file twice",
	  .type = ARG_FLAG, .off = offsetof(struct import_opts, replace), .rejects = 1u << ARG_EXIST | 1u << ARG_NOEXIST | 1u << ARG_SKIP },
};

struct import {
	struct env *env;
	const struct import_opts *o;
	const struct open_map *m;
	struct portable_form form;
	const struct kind *object;	/* what the values are; NULL: bytes */
	uint64_t flags;
	size_t key_size, value_size;	/* as transferred */
	unsigned char *elem;
	struct batches batches;
	bool dry;			/* write nothing */
	struct replace *replace;	/* collects the file's keys; NULL: nobody wants them */
	bool stop;
	uint64_t elements, written, failed, deleted, last;	/* last: the last that was tried */
	struct err first;		/* failure */
};

static void key_print(const struct import *x, struct jsonw *w, const unsigned char *key)
{
	if (x->m->form.key)
		value_print(x->m->form.key, w, key, x->key_size);
	else
		jsonw_hexbytes(w, key, x->key_size);
}

static void failure_json(const struct import *x, uint64_t at, const unsigned char *key, const struct err *why)
{
	struct jsonw *w = x->env->jw;

	jsonw_object(w);
	jsonw_name(w, "element");
	jsonw_uint(w, at);
	if (key) {
		jsonw_name(w, "key");
		key_print(x, w, key);
	}
	jsonw_name(w, "error");
	jsonw_str(w, why->msg);
	jsonw_name(w, "errno");
	jsonw_str(w, err_name(why->code));
	jsonw_end(w);
}

/* The report of one element; @key NULL: it is not known. */
static void failure(struct import *x, uint64_t at, const unsigned char *key, const struct err *why)
{
	struct out *o = x->env->out;
	struct jsonw w;

	if (x->env->jw) {
		failure_json(x, at, key, why);
	} else {
		out_fmt(o, "element %llu", (unsigned long long)at);
		if (key) {
			jsonw_init(&w, o, false);
			out_str(o, ", key ");
			key_print(x, &w, key);
		}
		out_str(o, ": ");
		out_text(o, why->msg);
		out_char(o, '\n');
	}
	if (!x->failed++) {
		x->first = *why;
		err_in(&x->first, "element %llu", (unsigned long long)at);
	}
	if (x->failed >= (x->o->failures ? x->o->failures : FAILURES))
		x->stop = true;
}

/* Not of this element alone: frozen, read-only, or a type that nobody can write to. */
static bool hopeless(int err)
{
	return err == -EPERM || err == -EBADF || err == -EOPNOTSUPP;
}

static bool one_write(void *ctx, uint64_t at, const unsigned char *key, const unsigned char *value)
{
	struct import *x = ctx;
	struct err why = { 0 };
	int err = elem_update(x->m->fd, x->key_size ? key : NULL, value, x->flags);

	x->last = at;
	if (!err) {
		x->written++;
		return true;
	}
	if (err == -ENOENT && !(x->flags & BPF_EXIST))
		err_sys(&why, err, "map %u: cannot write the element", x->m->info.id);
	else
		map_refused(x->m, err, "write elements", &why);
	failure(x, at, x->key_size ? key : NULL, &why);
	x->stop = x->stop || hopeless(why.code);
	return !x->stop;
}

/* What waits. */
static void flush(struct import *x)
{
	struct batches *b = &x->batches;

	batches_flush(b);
	x->written += b->written;
	x->last = b->last > x->last ? b->last : x->last;
	b->written = 0;
}

/* A map or program: opened, and given to the kernel as a descriptor. */
static void object_write(struct import *x, const struct object_ref *ref)
{
	unsigned char *value = x->elem + x->key_size;
	struct err why = { 0 };
	CLEAN_FD fd = select_open(x->env, x->object, ref, NULL, &why);

	x->last = x->elements;
	if (fd < 0)
		return failure(x, x->elements, x->key_size ? x->elem : NULL, &why);
	memcpy(value, &fd, sizeof(fd));
	if (x->dry)
		x->written++;
	else
		one_write(x, x->elements, x->elem, value);
}

static void put(struct import *x)
{
	if (x->dry) {
		x->written++;
		x->last = x->elements;
		return;
	}
	batches_put(&x->batches, x->elements, x->elem);
	if (!(x->elements % PROGRESS))
		env_progress(x->env, "imported", x->elements);
}

/* -EBADMSG: the file is another map's. What is wrong with one element is reported, and no failure here. */
static int element(struct import *x, const char *text, size_t n, struct err *e)
{
	size_t mark = arena_mark(x->env->arena);
	struct portable got;
	struct err why;
	int err;

	err_clear(&why);
	err = portable_read(&x->form, text, n, x->env->arena, x->elem, &got, &why);
	if (err == -EBADMSG) {
		*e = why;
		return err;
	}
	if (err) {
		/* Failures are told in the order of the file. */
		flush(x);
		if (!x->stop) {
			x->last = x->elements;
			failure(x, x->elements, got.has_key ? x->elem : NULL, &why);
		}
	} else if (!got.is_map && x->object) {
		object_write(x, &got.object);
	} else if (!got.is_map) {
		put(x);
	}
	arena_rewind(x->env->arena, mark);
	return x->replace && !err && !got.is_map ? replace_keep(x->replace, x->elem, e) : 0;
}

static int stream(struct import *x, struct json_cutter *cut, struct err *e)
{
	const char *text;
	size_t n;
	int r, err = 0;

	while (!err && !x->stop) {
		r = json_cutter_next(cut, &text, &n, e);
		if (r <= 0) {
			err = r;
			break;
		}
		if (++x->elements > x->o->skip)
			err = element(x, text, n, e);
	}
	flush(x);
	return err;
}

static void totals(const struct import *x)
{
	struct jsonw *w = x->env->jw;

	if (w) {
		jsonw_end(w);
		jsonw_name(w, x->dry ? "would_write" : "written");
		jsonw_uint(w, x->written);
		if (x->o->replace) {
			jsonw_name(w, x->o->dry_run ? "would_delete" : "deleted");
			jsonw_uint(w, x->deleted);
		}
		jsonw_name(w, "failed");
		jsonw_uint(w, x->failed);
		jsonw_name(w, "last");
		jsonw_uint(w, x->last);
		jsonw_end(w);
		return;
	}
	out_fmt(x->env->out, "%s %llu element%s", x->dry ? "would write" : "wrote", (unsigned long long)x->written,
		x->written == 1 ? "" : "s");
	if (x->o->replace)
		out_fmt(x->env->out, "%s %llu", x->o->dry_run ? ", delete" : ", deleted", (unsigned long long)x->deleted);
	if (x->failed)
		out_fmt(x->env->out, ", %llu failed", (unsigned long long)x->failed);
	out_char(x->env->out, '\n');
}

static int result(const struct import *x, int err, struct err *e)
{
	if (!err && x->failed) {
		*e = x->first;
		err = e->code;
		err_in(e, "%llu element%s could not be written%s", (unsigned long long)x->failed, x->failed == 1 ? "" : "s",
		       x->failed == 1 ? "" : ", the first");
		if (x->stop && !hopeless(err)) {
			e->hint[0] = '\0';
			err_hint(e, "it stopped there; `--skip %llu` goes on behind the last element that was tried",
				 (unsigned long long)x->last);
		}
	}
	if (err && x->o->replace && x->dry && !x->o->dry_run && !x->deleted) {
		e->hint[0] = '\0';
		err_hint(e, "the map is as it was: --replace changes nothing unless all of the file fits");
	}
	if (err && ((x->written && !x->dry) || (x->deleted && !x->o->dry_run)))
		e->status = EXIT_PARTIAL;
	return err;
}

static void room(struct import *x)
{
	/* The kernel may copy values rounded up. */
	x->elem = arena_alloc(x->env->keep, x->key_size + x->value_size + 16);
	x->batches = (struct batches){
		.fd = x->m->fd, .key_size = x->key_size, .value_size = x->value_size, .one = one_write, .ctx = x,
		/* Batches take no such flags, and have no way to push. */
		.single = x->flags || !x->key_size,
	};
	batches_init(&x->batches, x->env->keep);
}

static int file_read(struct import *x, int fd, const char *what, struct err *e)
{
	struct json_cutter cut;
	int err;

	json_cutter_init(&cut, fd, what);
	err = stream(x, &cut, e);
	json_cutter_release(&cut);
	return err;
}

/* First all of the file without writing, then what it does not have goes, and then there is room for what it has. */
static int file_replace(struct import *x, int fd, const char *what, struct err *e)
{
	off_t start = lseek(fd, 0, SEEK_CUR);
	struct replace r;
	int err;

	if (start < 0) {
		err_usage(e, "--replace reads its input twice, and %s cannot be read again", what);
		return err_hint(e, "put it into a file first");
	}
	err = replace_init(&r, x->env, x->m, e);
	if (err)
		return err;
	x->replace = &r;
	err = file_read(x, fd, what, e);
	if (!err && !x->failed)
		err = replace_run(&r, x->o->dry_run, e);
	x->deleted = r.deleted;
	x->replace = NULL;
	state_release(&r.keep);
	if (err || x->failed || x->o->dry_run)
		return err;
	if (lseek(fd, start, SEEK_SET) < 0)
		return err_sys(e, -errno, "cannot read %s again", what);
	x->dry = false;
	x->elements = x->written = x->last = 0;
	return file_read(x, fd, what, e);
}

static int import(struct import *x, int fd, const char *what, struct err *e)
{
	int err;

	room(x);
	if (x->env->jw) {
		jsonw_object(x->env->jw);
		jsonw_name(x->env->jw, "failures");
		jsonw_array(x->env->jw);
	}
	err = x->o->replace ? file_replace(x, fd, what, e) : file_read(x, fd, what, e);
	totals(x);
	return result(x, err, e);
}

static int import_run(struct env *env, const void *opts, struct err *e)
{
	const struct import_opts *o = opts;
	bool named = o->path && strcmp(o->path, "-") != 0;
	OPEN_MAP(m);
	struct import x = { .env = env, .o = o, .m = &m };
	CLEAN_FD file = -1;
	int err = map_open(env, &o->map, VERB_IMPORT, &m, e);

	if (err)
		return err;
	if (named) {
		file = open(o->path, O_RDONLY | O_CLOEXEC);
		if (file < 0)
			return err_sys(e, -errno, "cannot read %s", o->path);
	}
	portable_form_init(&x.form, &m.form, m.info.max_entries);
	x.object = portable_object(&m.form);
	x.flags = o->exist ? BPF_EXIST : o->noexist ? BPF_NOEXIST : BPF_ANY;
	x.key_size = m.info.key_size;
	x.value_size = (size_t)elem_value_bytes(&m.form);
	x.dry = o->dry_run || o->replace;
	return import(&x, named ? file : STDIN_FILENO, named ? o->path : "standard input", e);
}

const struct command map_import = {
	.name = "import",
	.summary = "write elements from a file to a map",
	.help = "The file is what `export` writes or a dump of ours or bpftool's, plain with types or JSON; the elements of an array "
		"or one a line. It is read and written as a stream, in batches where the kernel has them. "
		"An element that cannot be written is reported, with its position in the file, and does not stop the others. "
		"Elements that are in the map and not in the file stay, unless there is --replace. Values for queues and stacks are pushed in the file's order.",
	.example = NULL,
	ARGS(import_args),
	.opts_size = sizeof(struct import_opts),
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	.run = import_run,
};
