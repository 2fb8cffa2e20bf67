/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"
#include "all/ls.h"
#include "all/save.h"

#include <sys/stat.h>

#include "types/btf.h"
#include "cgroup/cgroup.h"
#include "cli/command.h"
#include "cli/select.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/elems.h"
#include "source/info.h"
#include "source/pages.h"
#include "source/file/recorder.h"
#include "kernel/abi.h"

/*
 * Asks every question that reading commands ask, through a source that writes down the answers. A refusal is an answer
 * too: an object that cannot be read does not end the command.
 */
struct save_opts {
	const char *file;
	bool map_data, partial;
};

/* Ask a question, unless it was asked; the answer goes to the file, and a refusal is also an answer. */
static void save_answer(struct env *env, const struct asked *q)
{
	ARENA_SCOPE(env->arena);
	struct blob b;
	int err = source_record_has(env->machine->src, q) ? 0 : machine_ask_silently(env->machine, env->arena, &b, q);

	(void)err;
}

/* Ask all questions about the machine, or about one object. */
static void save_about(struct env *env, enum question_about about, uint32_t id, bool map_data)
{
	for (unsigned q = 0; q < QUESTIONS; q++)
		if (questions[q].about == about &&
		    (questions[q].saved == SAVED_ALWAYS || (map_data && questions[q].saved == SAVED_DATA)))
			save_answer(env, &(const struct asked){ (enum question)q, id });
}

static void save_elems(struct env *env, uint32_t id)
{
	char cursor[ELEMS_CURSOR_MAX + 1] = "start";
	struct elems_head head;
	struct blob b;

	for (bool first = true; cursor[0]; first = false) {
		const struct asked q = { Q_MAP_ELEMS, id, .text = cursor };
		ARENA_SCOPE(env->arena);

		/* false: it is gone. */
		if (!first && source_record_has(env->machine->src, &q))
			return;
		if (machine_ask_silently(env->machine, env->arena, &b, &q) || b.n < sizeof(head))
			return;
		memcpy(&head, b.p, sizeof(head));
		if (head.next_len > ELEMS_CURSOR_MAX || head.next_len > b.n - sizeof(head))
			return;
		memcpy(cursor, b.p + sizeof(head), head.next_len);
		cursor[head.next_len] = '\0';
	}
}

static void save_pages(struct env *env, uint32_t id)
{
	struct pages p = { 0 };
	int err;

	do {
		ARENA_SCOPE(env->arena);

		err = pages_get(env->machine, env->arena, id, p.head.next, &p);
	} while (!err && p.head.next);
}

/* Without joins: they ask about other objects and places, which are saved themselves. */
static bool save_object(struct env *env, const struct kind *k, uint32_t id, struct save_what what)
{
	ARENA_SCOPE(env->arena);
	struct err why = { 0 };
	/*
	 * On a busy machine some objects are gone before they are read: a reader of the file would know nothing about
	 * them.
	 */
	int err = k->read(env, env->arena, id, kind_need(k, 0) & ~(NEED_JOIN | (what.uncounted ? NEED_COUNT : 0u)),
			  arena_alloc(env->arena, k->schema->rec_size), &why);

	if (err == -ENOENT)
		return false;
	kind_label(env, k, id);
	if (what.map_data && k->object == OBJECT_MAP) {
		save_elems(env, id);
		save_pages(env, id);
	}
	save_about(env, (enum question_about)(ABOUT_PROG + (int)k->object), id, what.map_data);
	return true;
}

static size_t save_kind(struct env *env, const struct kind *k, struct save_what what)
{
	struct err why = { 0 };
	const uint32_t *ids;
	uint32_t *there;
	size_t n, i, nthere = 0;

	if (select_all(env, k, &ids, &n, &why)) {
		report_add_unlisted(env->report, k->noun, why.code);
		return 0;
	}
	there = arena_array(env->keep, n, sizeof(*there));
	for (i = 0; i < n; i++)
		if (save_object(env, k, ids[i], what))
			there[nthere++] = ids[i];
	/* Attachments need further questions, such as for names of functions in files. */
	if (nthere < n && (!what.listed || k->object == OBJECT_LINK))
		source_record_again(env->machine->src, &(const struct asked){ question_of(Q_IDS, k->object) }, there,
				    nthere * sizeof(*there));
	return nthere;
}

/* What could not be read is reported by the reader of the file. */
static void save_attachments(struct env *env)
{
	struct records all = { .s = &ls_schema, .need = schema_need(&ls_schema, 0) };
	struct report unused = { .out = env->report->out };
	struct env sub = *env;
	struct err why = { 0 };

	/* If listing objects is not permitted, the file would look like a machine without any. */
	sub.report = &unused;
	ls_list(&sub, &all, &why);
	ls_describe(&sub, &all);
	report_release(&unused);
}

struct saved {
	const char *file;
	uint64_t bytes;
	bool map_data;
	size_t counts[OBJECT_KINDS];
};
#define SAVED_FIELD_COUNT(kind, name, noun, ...) \
	FIELD_AS(saved, counts[kind], FT_UINT, name, noun "s in it", __VA_ARGS__)
static const struct field saved_fields[] = {
	FIELD(saved, file, "file", "the file", .plain = " to %", .col = 4),
	FIELD(saved, bytes, "bytes", "size (of the file)", .unit = FU_SIZE, .plain = " (%B", .col = 5,
	      .flags = FIELD_SHORT),
	FIELD(saved, map_data, "map_data", "with the contents of maps",
	      .plain = ", with map contents)|, without map contents)", .col = 6),
	SAVED_FIELD_COUNT(OBJECT_PROG, "nr_progs", "program", .plain = "saved % program(s)"),
	SAVED_FIELD_COUNT(OBJECT_MAP, "nr_maps", "map", .plain = ", % map(s)", .col = 1),
	SAVED_FIELD_COUNT(OBJECT_LINK, "nr_links", "link", .plain = ", % link(s)", .col = 2),
	SAVED_FIELD_COUNT(OBJECT_BTF, "nr_btfs", "BTF object", .plain = ", % BTF object(s)", .col = 3),
};
static const struct schema schema_saved = SCHEMA("saved", saved, saved_fields);
_Static_assert(OBJECT_KINDS == 4, "a field for each kind of object");

/*
 * From now on everything that is read is recorded. Facts read before are read again, from the source that caches them.
 */
static int may_list(struct env *env, struct err *e)
{
	ARENA_SCOPE(env->arena);
	struct blob b;
	int err = ask_silently(env->machine, env->arena, &b, question_of(Q_IDS, OBJECT_PROG));

	if (err != -EPERM && err != -EACCES)
		return 0;
	err_sys(e, err, "cannot list programs");
	return err_hint(e, "run it as root, or save what can be read with --partial");
}

/* Before everything that is compared with them. */
static int start_recording(struct env *env, const struct save_opts *o, struct err *e)
{
	struct source *recorder;
	int err;

	if (env->borrowed)
		return err_usage(e, "save cannot be used in a batch with --from");
	machine_once(env->machine);
	err = o->partial || env->opts->from ? 0 : may_list(env, e);
	if (err)
		return err;
	err = source_record(&recorder, env->machine->src, o->file, o->map_data ? "" : "map contents were not saved\n",
			    e);
	if (err)
		return err;
	env->machine->src = NULL;
	machine_free(&env->machine);
	env_use(env, machine_new(recorder));
	return 0;
}

void save_machine(struct env *env, struct save_what what, size_t counts[OBJECT_KINDS])
{
	const struct btf_types *kernel;

	save_answer(env, &(const struct asked){ Q_KALLSYMS });
	for (size_t i = 0; kinds[i]; i++)
		counts[kinds[i]->object] = save_kind(env, kinds[i], what);
	save_attachments(env);
	cgroup_save(env);
	/* The kernel's own types, which have no id on kernels before 5.11. */
	btf_get_vmlinux(env->machine, &kernel, NULL, NULL);
	save_about(env, ABOUT_MACHINE, 0, what.map_data);
	machine_forget(env->machine);
}

static int run_save(struct env *env, const void *opts, struct err *e)
{
	const struct save_opts *o = opts;
	const bool to_stdout = !strcmp(o->file, "-");
	struct stat st = { 0 };
	struct saved saved = { .file = o->file, .map_data = o->map_data };
	struct doc d;
	int err;

	env_doc(env, &d);
	if (to_stdout && (!doc_is_text(&d) || env->depth))
		return err_usage(e, "the file is written to standard output: no other output is possible");
	err = start_recording(env, o, e);
	if (err)
		return err;
	/* Ids first: all else is compared with them. */
	save_answer(env, &(const struct asked){ Q_COUNTED });
	save_machine(env, (struct save_what){ .map_data = o->map_data }, saved.counts);
	save_answer(env, &(const struct asked){ Q_FEATURES });
	err = source_record_finish(env->machine->src, e);
	if (err)
		return err;
	if (to_stdout)
		return 0;
	stat(o->file, &st);
	saved.bytes = (uint64_t)st.st_size;
	doc_record(&d, &schema_saved, &saved);
	return 0;
}

static const struct arg save_args[] = {
	OPERAND("FILE", ARG_PATH, struct save_opts, file,
		"output file, - for standard output; an existing file is replaced when the new one is complete",
		.output = true),
	ARG("--partial", ARG_FLAG, struct save_opts, partial,
	    "save what can be read, even if programs, maps, links or types cannot be listed"),
	ARG("--map-data", ARG_FLAG, struct save_opts, map_data, "also save the contents of maps, which may be secret"),
};

const struct command command_save = {
	.name = "save",
	.summary = "save the machine's BPF state to a file, for --from",
	.example = "save bpf.tar.gz",
	.help = "Stores the answers of the kernel as they are, including refusals. Map contents are only stored with --map-data.",
	.schema = &schema_saved,
	.flags = CMD_READ,
	ARGS(save_args, struct save_opts),
	.run = run_save,
};
