/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"
#include "all/ls.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "cgroup/cgroup.h"
#include "cli/command.h"
#include "cli/select.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "source/elems.h"
#include "source/facts.h"
#include "source/info.h"
#include "source/pages.h"
#include "source/source.h"
#include "kernel/abi.h"

/*
 * Asks everything that reading commands ask, through a source that writes the answers down. Refusals are answers; nothing
 * that cannot be read ends the run.
 */
struct save_opts {
	const char *file;
	bool map_data;
};

static const char *const system_keys[] = {
	"sys/pins", "sys/holders", "sys/ifaces", "sys/netns", "sys/clock", "sys/cpus", "sys/cgroups",
	"sys/cgroup_mounts", "sys/uname",
	"sys/limits", "sys/kallsyms", "sys/task_fds", "sys/pmus",
};

static void ask(struct env *env, const char *key)
{
	size_t mark = arena_mark(env->arena);
	struct blob b;

	source_get(env->src, env->arena, &b, "%s", key);
	arena_rewind(env->arena, mark);
}

/* The kernel's own types are large, and the same on each machine with that kernel: saved where something needed them. */
static bool is_kernel_btf(struct env *env, uint32_t id)
{
	struct abi_btf_info info;
	uint32_t len;

	return info_get(env->src, env->arena, "btf", id, &info, sizeof(info), &len) || info.kernel_btf;
}

static void save_elems(struct env *env, uint32_t id)
{
	char cursor[ELEMS_CURSOR_MAX + 1] = "start";
	struct elems_head head;
	struct blob b;

	while (cursor[0]) {
		size_t mark = arena_mark(env->arena);

		if (source_get(env->src, env->arena, &b, "map/%u/elems/%s", id, cursor) || b.n < sizeof(head))
			return;
		memcpy(&head, b.p, sizeof(head));
		if (head.next_len > ELEMS_CURSOR_MAX || head.next_len > b.n - sizeof(head))
			return;
		memcpy(cursor, b.p + sizeof(head), head.next_len);
		cursor[head.next_len] = '\0';
		arena_rewind(env->arena, mark);
	}
}

static void save_pages(struct env *env, uint32_t id)
{
	struct pages p = { 0 };
	int err;

	do {
		size_t mark = arena_mark(env->arena);

		err = pages_get(env->src, env->arena, id, p.head.next, &p);
		arena_rewind(env->arena, mark);
	} while (!err && p.head.next);
}

static void save_contents(struct env *env, uint32_t id)
{
	save_elems(env, id);
	ask(env, arena_fmt(env->arena, "map/%u/storage", id));
	save_pages(env, id);
	ask(env, arena_fmt(env->arena, "map/%u/sockets", id));
	ask(env, arena_fmt(env->arena, "map/%u/xsk", id));
}

static void save_object(struct env *env, const struct kind *k, uint32_t id, bool map_data)
{
	size_t mark = arena_mark(env->arena), i;
	const char *type, *name, *tag;
	struct err why = { 0 };

	k->read(env, id, kind_need(k), arena_alloc(env->arena, k->schema->rec_size), &why);
	err_clear(&why);
	k->label(env, id, &type, &name, &tag, &why);
	for (i = 0; k->saved && k->saved[i]; i++)
		if (k->object != OBJECT_BTF || !is_kernel_btf(env, id))
			ask(env, arena_fmt(env->arena, "%s/%u/%s", k->name, id, k->saved[i]));
	if (map_data && k->object == OBJECT_MAP)
		save_contents(env, id);
	arena_rewind(env->arena, mark);
}

static size_t save_kind(struct env *env, const struct kind *k, bool map_data)
{
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n, i;

	if (select_all(env, k, &ids, &n, &why)) {
		env_unlisted(env, k->noun, why.code);
		return 0;
	}
	for (i = 0; i < n; i++)
		save_object(env, k, ids[i], map_data);
	return n;
}

/* What is attached where takes questions of its own: names of functions in files, and so on. */
static void save_attachments(struct env *env)
{
	struct records all = { .s = &ls_schema, .need = schema_need(&ls_schema) };
	struct env sub = *env;
	struct err why = { 0 };

	/* What could not be read here is told by who reads the file. */
	ls_list(&sub, &all, &why);
	ls_describe(&sub, &all);
}

static void report_json(struct jsonw *w, const struct save_opts *o, const size_t *counts, uint64_t bytes)
{
	size_t i;

	jsonw_object(w);
	jsonw_name(w, "file");
	jsonw_str(w, o->file);
	jsonw_name(w, "bytes");
	jsonw_uint(w, bytes);
	jsonw_name(w, "map_data");
	jsonw_bool(w, o->map_data);
	for (i = 0; kinds[i]; i++) {
		jsonw_name(w, kinds[i]->name);
		jsonw_uint(w, counts[i]);
	}
	jsonw_end(w);
}

static void report_plain(struct out *out, const struct save_opts *o, const size_t *counts, uint64_t bytes)
{
	char size[16];
	size_t i;

	out_str(out, "saved ");
	for (i = 0; kinds[i]; i++)
		out_fmt(out, "%s%zu %s%s", i ? ", " : "", counts[i], kinds[i]->noun, counts[i] == 1 ? "" : "s");
	out_str(out, " to ");
	out_text(out, o->file);
	out_fmt(out, " (%sB, %s map contents)\n", num_human(size, sizeof(size), bytes), o->map_data ? "with" : "without");
}

/* From here on everything that is read is recorded; nothing may have been read before. */
static int start_recording(struct env *env, const struct save_opts *o, struct err *e)
{
	struct source *recorder;
	int err;

	if (env->borrowed)
		return err_usage(e, "save cannot stand in a batch with --from");
	err = source_record(&recorder, env->src, o->file, o->map_data ? "" : "map contents were left out\n", e);
	if (err)
		return err;
	facts_free(env->facts);
	env->src = recorder;
	env->facts = facts_new(recorder);
	return 0;
}

static int run_save(struct env *env, const void *opts, struct err *e)
{
	const struct save_opts *o = opts;
	struct stat st = { 0 };
	size_t *counts, i, n = 0;
	int err = start_recording(env, o, e);

	if (err)
		return err;
	while (kinds[n])
		n++;
	counts = arena_array(env->keep, n, sizeof(*counts));
	for (i = 0; i < n; i++)
		counts[i] = save_kind(env, kinds[i], o->map_data);
	save_attachments(env);
	for (i = 0; i < ARRAY_SIZE(system_keys); i++)
		ask(env, system_keys[i]);
	cgroup_save(env);
	err = source_record_finish(env->src, e);
	if (err)
		return err;
	stat(o->file, &st);
	if (env->jw)
		report_json(env->jw, o, counts, (uint64_t)st.st_size);
	else
		report_plain(env->out, o, counts, (uint64_t)st.st_size);
	return 0;
}

static const struct arg save_args[] = {
	{ .name = "FILE", .type = ARG_PATH, .flags = ARG_POSITIONAL | ARG_REQUIRED, .off = offsetof(struct save_opts, file),
	  .help = "where to; an old file is replaced when the new one is complete" },
	{ .name = "--map-data", .type = ARG_FLAG, .off = offsetof(struct save_opts, map_data),
	  .help = "also the contents of maps, which may be secret" },
};

const struct command command_save = {
	.name = "save", .summary = "write the machine's BPF state to a file, for --from", .example = "save bpf.tar.gz",
	.help = "The kernel's answers are stored as they are, refusals too. Without --map-data no map contents are stored.",
	.flags = CMD_READ, ARGS(save_args), .opts_size = sizeof(struct save_opts), .run = run_save,
};
