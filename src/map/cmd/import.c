/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/bpf.h>

#include "base/infile.h"
#include "base/json/json_cutter.h"
#include "cli/change.h"
#include "cli/command.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "map/elem/batches.h"
#include "map/elem/open.h"
#include "map/elem/portable.h"
#include "map/elem/replace.h"
#include "host/stop.h"
#include "kernel/elem.h"
#include "record/field.h"
#include "render/doc.h"

#define FAILURES 100u
#define PROGRESS 4096u

struct import_opts {
	struct object_ref map;
	const char *path;
	bool any, exist, noexist, dry_run, replace;
	uint32_t failures;
	uint64_t skip;
};

static const struct arg import_args[] = {
	ONE_MAP_ARG(struct import_opts, "the map"),
	ARG("file", ARG_PATH, struct import_opts, path,
	    "JSON: an array of elements, or one on each line; - or none: standard input"),
	ARG("any", ARG_FLAG, struct import_opts, any, "write all elements; the default", .rejects = "exist noexist"),
	ARG("exist", ARG_FLAG, struct import_opts, exist, "only write elements whose key exists",
	    .rejects = "any noexist"),
	ARG("noexist", ARG_FLAG, struct import_opts, noexist, "only write elements whose key does not exist",
	    .rejects = "any exist"),
	ARG("--dry-run", ARG_FLAG, struct import_opts, dry_run,
	    "check every element against the map's types and sizes, and write nothing"),
	ARG("--failures", ARG_U32, struct import_opts, failures,
	    "stop after this many elements that cannot be written (100)", .metavar = "N", .flags = ARG_NONZERO),
	ARG("--skip", ARG_U64, struct import_opts, skip,
	    "skip the first N elements, to continue an import that stopped", .metavar = "N"),
	ARG("--replace", ARG_FLAG, struct import_opts, replace,
	    "make the map contain these elements and no others, if all of them fit", .rejects = "exist noexist --skip"),
};

struct import {
	struct env *env;
	struct doc doc;
	const struct import_opts *o;
	const struct open_map *m;
	struct portable_form form;
	const struct kind *object; /* kind of object that the values are; NULL: bytes */
	uint64_t flags;
	size_t key_size, value_size; /* as transferred */
	unsigned char *elem;
	struct batches batches;
	struct replace *replace; /* collects the elements for later; NULL: they are written at once */
	bool document;		 /* the file is not empty: it has an array, an element or a map's description */
	bool changed;		 /* --replace has deleted or written an element */
	bool stop;
	uint64_t elements, written, failed, deleted, last; /* last: the last one tried */
	struct err first;				   /* failure */
};

/* An element that could not be written. */
struct failure {
	uint64_t element;
	const char *key, *error, *name;
};
static const struct field failure_fields[] = {
	FIELD(failure, element, "element", "position of the element in the file, from 1", .plain = "element %"),
	FIELD_AS(failure, key, FT_JSON, "key", "key of the element, if it is known", .plain = ", key %", .col = 1,
		 .flags = FIELD_NONZERO),
	FIELD(failure, error, "error", "reason why it was not written", .plain = ": %", .col = 2),
	FIELD(failure, name, "errno", "name of the error number", .flags = FIELD_NOPLAIN),
};
static const struct schema schema_failure = SCHEMA("failure", failure, failure_fields);

/* Reports an element that was not written; @key NULL: unknown. */
static void failure(struct import *x, uint64_t at, const unsigned char *key, const struct err *why)
{
	struct arena *a = x->env->arena;
	ARENA_SCOPE(a);
	const struct failure f = {
		.element = at,
		.key = key ? elem_value_json(x->m->form.key, key, x->key_size, a) : NULL,
		.error = why->msg,
		.name = err_name(why->code),
	};

	doc_record(&x->doc, &schema_failure, &f);
	if (!x->failed++) {
		x->first = *why;
		err_in(&x->first, "element %llu", llu(at));
	}
	if (x->failed >= (x->o->failures ? x->o->failures : FAILURES))
		x->stop = true;
}

/* Does the error hold for every element? Frozen, read-only, or of a type that cannot be written to. */
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
		map_error(x->m, err, "write elements", &why);
	failure(x, at, x->key_size ? key : NULL, &why);
	x->stop = x->stop || hopeless(why.code);
	return !x->stop;
}

/* Writes the elements that wait. */
static void flush(struct import *x)
{
	struct batches *b = &x->batches;

	batches_flush(b);
	x->written += b->written;
	x->last = b->last > x->last ? b->last : x->last;
	b->written = 0;
}

/* Opens a map or program, and writes its descriptor. */
static int object_write(struct import *x, const struct object_ref *ref, uint64_t at, const unsigned char *key,
			struct err *e)
{
	unsigned char value[2 * sizeof(uint64_t)] = { 0 }; /* the kernel may copy values rounded up */
	CLEAN_FD fd = select_open(x->env, x->object, ref, NULL, e);

	x->last = at;
	if (fd < 0)
		return fd;
	memcpy(value, &fd, sizeof(fd));
	if (x->o->dry_run)
		x->written++;
	else
		one_write(x, at, key, value);
	return 0;
}

/* Keeps the element for later; an object as its id. */
static int elems_keep(struct import *x, const struct object_ref *ref, struct err *e)
{
	x->last = x->elements;
	if (x->object) {
		uint32_t id;
		CLEAN_FD fd = select_open(x->env, x->object, ref, &id, e);

		if (fd < 0)
			return fd;
		memcpy(x->elem + x->key_size, &id, sizeof(id));
	}
	return replace_put(x->replace, x->elem, x->elements, e);
}

static void import_elem(struct import *x, uint64_t at, const unsigned char *elem)
{
	if (x->o->dry_run) {
		x->written++;
		x->last = at;
		return;
	}
	batches_put(&x->batches, at, elem);
	if (!(at % PROGRESS))
		env_progress(x->env, "imported", at);
}

/* -EBADMSG: the file is of another map. An error in a single element is reported, and is not returned. */
static int element(struct import *x, const char *text, size_t n, struct err *e)
{
	ARENA_SCOPE(x->env->arena);
	struct portable got;
	struct err why;
	int err;

	err_clear(&why);
	err = portable_read(&x->form, text, n, x->env->arena, x->elem, &got, &why);
	if (err == -EBADMSG) {
		*e = why;
		return err;
	}
	if (!err && !got.is_map && x->replace)
		err = elems_keep(x, &got.object, &why);
	else if (!err && !got.is_map && x->object)
		err = object_write(x, &got.object, x->elements, x->elem, &why);
	else if (!err && !got.is_map)
		import_elem(x, x->elements, x->elem);
	if (err) {
		/* Failures are reported in the order of the file. */
		flush(x);
		if (!x->stop) {
			x->last = x->elements;
			failure(x, x->elements, got.has_key ? x->elem : NULL, &why);
		}
	}
	x->document = true;
	return 0;
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
	x->document |= cut->array;
	return err;
}

static void totals(struct import *x)
{
	const bool dry = x->o->dry_run;

	doc_end(&x->doc);
	change_fields(x->env, &x->doc,
		      &(struct change_rec){
			      .sentence = SENTENCE_ELEMENTS,
			      .action = dry ? "would import" : "imported",
			      .kind = kind_map.name,
			      .id = x->m->info.id,
			      .written = x->written,
			      .deleted = x->deleted,
			      .deletes = x->o->replace,
			      .failed = x->failed,
			      .last = x->last,
			      .dry_run = dry,
		      });
	doc_end(&x->doc);
}

static int result(const struct import *x, int err, struct err *e)
{
	if (!err && x->failed) {
		*e = x->first;
		err = e->code;
		err_in(e, "%llu element%s could not be written%s", llu(x->failed), plural(x->failed),
		       x->failed == 1 ? "" : ", the first");
		if (x->stop && !hopeless(err)) {
			e->hint[0] = '\0';
			err_hint(e, "it stopped there; `--skip %llu` continues after the last element that was tried",
				 llu(x->last));
		}
	}
	if (err && x->o->replace && !x->o->dry_run && !x->changed) {
		e->hint[0] = '\0';
		err_hint(e, "the map is unchanged: --replace changes nothing unless all of the file fits");
	} else if (err && x->o->replace && x->changed && x->replace->room && !x->deleted) {
		e->hint[0] = '\0';
		err_hint(
			e,
			"elements that are not in the file remain: they are deleted only after all others are written");
	}
	if (err && (x->written || x->deleted) && !x->o->dry_run)
		e->status = EXIT_PARTIAL;
	return err;
}

static void room(struct import *x)
{
	/* The kernel may copy values rounded up. */
	x->elem = arena_alloc(x->env->keep, x->key_size + x->value_size + 16);
	x->batches = (struct batches){
		.fd = x->m->fd,
		.key_size = x->key_size,
		.value_size = x->value_size,
		.one = one_write,
		.ctx = x,
		/* Batches accept no such flags, and cannot push. */
		.single = x->flags || !x->key_size,
	};
	batches_init(&x->batches, x->env->keep);
}

static int import_file_read(struct import *x, int fd, const char *what, struct err *e)
{
	struct json_cutter cut;
	int err;

	json_cutter_init(&cut, fd, what);
	err = stream(x, &cut, e);
	json_cutter_release(&cut);
	return err;
}

static void replace_write(struct import *x)
{
	const struct replace *r = x->replace;

	for (size_t i = 0; i < r->elems.n && !x->stop; i++) {
		const unsigned char *elem = state_elem(&r->elems, i);
		struct object_ref ref = { .by = SEL_ID };
		struct err why = { 0 };

		if (!x->object) {
			import_elem(x, replace_at(r, i), elem);
			continue;
		}
		memcpy(&ref.id, elem + x->key_size, sizeof(ref.id));
		if (object_write(x, &ref, replace_at(r, i), elem, &why))
			failure(x, replace_at(r, i), elem, &why);
	}
	flush(x);
}

/* Once begun, the change is completed; a signal that arrives meanwhile takes effect afterwards. */
static int replace_change(struct import *x, struct err *e)
{
	STOP stop = { .fd = -1 };
	struct replace *r = x->replace;
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "cannot block signals");
	if (stop_wait(&stop, -1, 0))
		return err_set(e, -EINTR, "interrupted");
	x->changed = true;
	if (!r->room)
		err = replace_delete(r, e);
	if (!err)
		replace_write(x);
	if (!err && !x->failed && r->room)
		err = replace_delete(r, e);
	x->deleted = r->deleted;
	return err;
}

/* The whole file is read and checked, and the elements to delete are found, before anything is changed. */
static int file_replace(struct import *x, int fd, const char *what, struct err *e)
{
	int err = import_file_read(x, fd, what, e);

	if (err || x->failed)
		return err;
	if (!x->document)
		return err_set(e, -ENODATA, "%s is empty: it has neither elements nor a description of a map", what);
	err = replace_plan(x->replace, e);
	if (err)
		return err;
	if (!x->o->dry_run)
		return replace_change(x, e);
	x->written = x->replace->elems.n;
	x->deleted = x->replace->others.n;
	return 0;
}

static int import(struct import *x, int fd, const char *what, struct err *e)
{
	int err;

	room(x);
	env_doc(x->env, &x->doc);
	doc_object(&x->doc, NULL);
	doc_list(&x->doc, "failures");
	err = x->o->replace ? file_replace(x, fd, what, e) : import_file_read(x, fd, what, e);
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
	CLEAN_REPLACE r = { 0 };
	int err = map_open(env, &o->map, VERB_IMPORT, &m, e);

	if (!err && o->replace)
		err = replace_init(&r, env, &m, e);
	if (err)
		return err;
	if (named) {
		file = infile_open(o->path);
		if (file < 0)
			return err_sys(e, file, "cannot read %s", o->path);
	}
	portable_form_init(&x.form, &m.form, m.info.max_entries);
	portable_form_padding(&x.form, env->keep);
	x.object = portable_object(&m.form);
	x.flags = o->exist ? BPF_EXIST : o->noexist ? BPF_NOEXIST : BPF_ANY;
	x.key_size = m.info.key_size;
	x.value_size = (size_t)elem_value_bytes(&m.form);
	x.replace = o->replace ? &r : NULL;
	return import(&x, named ? file : STDIN_FILENO, named ? o->path : "standard input", e);
}

const struct command map_import = {
	.name = "import",
	.summary = "write the elements of a file to a map",
	.help = "The file is the output of `export` or of a dump of bpflens or bpftool, typed plain text or JSON; the elements are in an array or "
		"one on each line. It is read and written as a stream, in batches if the kernel supports them. An element that cannot be written "
		"is reported with its position in the file, and does not stop the others. Elements of the map that are not in the file stay, "
		"unless --replace is given. Values for queues and stacks are pushed in the order of the file.",
	.example = NULL,
	.schema = &change_schema,
	ARGS(import_args, struct import_opts),
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	.run = import_run,
};
