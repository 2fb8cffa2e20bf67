/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/bytes.h"
#include "types/btf.h"
#include "types/value/value.h"
#include "cli/command.h"
#include "cli/select.h"
#include "source/info.h"
#include "render/jsonw.h"
#include "source/source.h"
#include "source/file/swap.h"
#include "struct_ops/ops.h"

struct ops_dump_opts {
	struct object_refs maps;
};
static const struct arg dump_args[] = {
	ARG(NULL, ARG_OBJECT, struct ops_dump_opts, maps, "only these maps", .flags = ARG_POSITIONAL | ARG_REPEAT),
};

static const char *prog_name(void *ctx, uint32_t id)
{
	return ops_prog_name(ctx, id);
}

/* Print the kernel's info of the map by the kernel's own types, so that members of newer kernels are printed. */
static void info_print(struct env *env, struct jsonw *w, uint32_t id, enum value_form form)
{
	const struct btf_types *t;
	const struct asked q = { question_of(Q_INFO, OBJECT_MAP), id };
	struct err why = { 0 };
	unsigned char *whole;
	uint32_t type = 0;
	struct blob info;
	uint64_t size;

	if (!btf_get_vmlinux(env->machine, &t, NULL, &why))
		type = btf_find(t, "bpf_map_info", BTF_KIND_STRUCT);
	if (!type || btf_size(t, type, &size) || size > 4096 || machine_ask(env->machine, env->arena, &info, &q))
		return jsonw_null(w);
	whole = arena_alloc(env->arena, (size_t)size);
	memcpy(whole, info.p, info.n < size ? info.n : (size_t)size);
	if (btf_is_big(t) != BIG_HERE) /* values of those types are in the order of their machine */
		swap_answer(env->machine->src, env->arena, &q, whole, (size_t)size);
	value_print(value_plan(t, type, form, env->arena), w, whole, (size_t)size);
}

/* Two objects as in bpftool, the second with more members in our JSON; or one object on a line. */
static void one_print(struct env *env, struct jsonw *w, const struct abi_map_info *info, const struct ops_types *t,
		      struct blob value, bool line)
{
	enum value_form form = value_form_of(env);
	const struct value_funcs funcs = { prog_name, env };
	const struct value_plan *plan = value_plan_funcs(t->types, t->value, form, &funcs, env->arena);
	const char *type = arena_fmt(env->arena, "%s", btf_name(t->types, t->value));

	jsonw_object(w);
	jsonw_name(w, "bpf_map_info");
	info_print(env, w, info->id, form);
	if (!line) {
		jsonw_end(w);
		jsonw_object(w);
	}
	jsonw_name(w, type);
	value_print(plan, w, value.p, value.n);
	if (env->report->jw) {
		jsonw_name(w, "id");
		jsonw_uint(w, info->id);
		jsonw_name(w, "name");
		jsonw_strn(w, info->name, strnlen(info->name, sizeof(info->name)));
	}
	jsonw_end(w);
}

/* @array: begin the array, which is not begun before, so that an error alone is the whole document. */
static int ops_dump_one(struct env *env, struct jsonw *w, uint32_t id, bool chosen, bool array, struct err *e)
{
	struct abi_map_info info;
	struct ops_types t;
	struct blob value;
	struct jsonw line;
	int err = map_info(env->machine, env->arena, id, &info, e);

	if (!err && info.type != ABI_MAP_STRUCT_OPS)
		return chosen ? err_set(e, -EMEDIUMTYPE, "map %u is not a struct_ops map", id) : 0;
	if (!err)
		err = ops_types(env, &info, &t, e);
	if (!err)
		err = ops_value(env, id, &value, e);
	if (err)
		return err;
	if (!env->report->streamed) {
		if (array)
			jsonw_array(w);
		one_print(env, w, &info, &t, value, false);
		return 0;
	}
	jsonw_init(&line, env->report->out, false);
	one_print(env, &line, &info, &t, value, true);
	out_char(env->report->out, '\n');
	return 0;
}

/* Maps that are freed meanwhile are left out; those that cannot be read are counted. */
static void ops_dump_several(struct env *env, struct jsonw *w, struct selection *sel)
{
	for (size_t i = 0; i < sel->n && !out_dead(env->report->out); i++) {
		ARENA_SCOPE(env->arena);
		struct err why = { 0 };
		int err = ops_dump_one(env, w, sel->ids[i], sel->refs->n, false, &why);

		if (err == -ENOENT)
			selection_note_gone(env, sel, sel->ids[i]);
		else if (err)
			report_unread(env->report, &why);
	}
}

static int ops_dump_run(struct env *env, const void *opts, struct err *e)
{
	const struct ops_dump_opts *o = opts;
	struct jsonw plain, *w = env->report->jw;
	struct selection sel;
	unsigned depth;
	int err = selection_find(env, env->kind, &o->maps, &sel, e);

	if (err)
		return err;
	jsonw_init(&plain, env->report->out, true);
	if (!w)
		w = &plain;
	depth = w->depth;
	env->report->streamed = env->report->jw && env->opts->ndjson && !depth;
	if (!env->report->streamed && selection_several(&sel))
		jsonw_array(w);
	if (selection_several(&sel))
		ops_dump_several(env, w, &sel);
	else
		err = ops_dump_one(env, w, sel.ids[0], true, true, e);
	if (!env->report->streamed)
		jsonw_close(w, depth);
	if (!env->report->jw && !err)
		out_char(env->report->out, '\n');
	return err ? err : selection_end(&sel, e);
}

const struct command ops_dump = {
	.name = "dump",
	.summary = "dump tables of operations, with their programs",
	.help = "Prints the value of each map by the kernel's types. A function that is a program is printed as its "
		"prototype with the program's name and id, a function that is not set as 0. Each map is two elements "
		"of the array, as in bpftool: the kernel's information about the map, and the table, in JSON with the "
		"map's id and name. With --ndjson each map is one object on a line.",
	.example = "struct_ops dump",
	ARGS(dump_args, struct ops_dump_opts),
	.flags = CMD_READ | CMD_TEXT,
	.run = ops_dump_run,
};
