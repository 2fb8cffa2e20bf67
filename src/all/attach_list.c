/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"

#include <fcntl.h>

#include "cli/records.h"
#include "host/elf/func.h"
#include "record/field.h"
#include "source/keys.h"
#include "source/source.h"
#include "types/btf.h"
#include "types/declare.h"
#include "types/types_ref.h"

/* What programs of tracing can be attached to, in the words of `attach`. */
struct attachable {
	const char *where, *returns, *module;
	const char *const *args;
	uint32_t nargs;
	uint64_t offset, size;
	uint8_t has_args, has_offset; /* enum avail */
};
static const struct field attachable_fields[] = {
	FIELD(attachable, where, "where", "place: tracepoint, function or place in a file, in one word",
	      .role = ROLE_NAME, .flags = FIELD_DEFAULT | FIELD_ANSWER),
	FIELD_LIST(attachable, args, nargs, FT_STR, "args",
		   "arguments with their types, as in C; of a tracepoint the members of its record",
		   FIELD_WHEN(attachable, has_args), .flags = FIELD_DEFAULT),
	FIELD(attachable, returns, "returns", "type of the function's result", .role = ROLE_KIND),
	FIELD(attachable, module, "module", "kernel module that has it"),
	FIELD_IF(attachable, offset, has_offset, "offset", "offset in bytes, from the start of the function or file",
		 .unit = FU_HEX),
	FIELD_IF(attachable, size, has_offset, "size", "size in bytes, of the function's machine code; 0: unknown",
		 .unit = FU_SIZE),
};
static const struct schema attachable_schema = SCHEMA("attachable", attachable, attachable_fields);

struct list_opts {
	bool tracepoint, raw_tracepoint, kprobe;
	const char *uprobe, *word;
	struct records_opts records;
};

struct lister {
	struct env *env;
	const struct list_opts *o;
	struct records *ret;
	struct keys known; /* names that are listed; of tracepoints: the type that has the arguments */
};

static struct attachable *add(struct lister *l, const char *where)
{
	struct attachable *r;

	if (l->o->word && !strstr(where, l->o->word))
		return NULL;
	r = records_add(l->ret, l->env);
	r->where = arena_str(l->env->keep, where, SIZE_MAX);
	return r;
}

static const char *declared(struct env *env, const struct btf_types *t, uint32_t id, const char *name)
{
	STR base = { 0 };
	STR declarator = { 0 };

	btf_declare(t, id, name, &base, &declarator);
	return arena_fmt(env->keep, "%s%s%s", base.p ? base.p : "", declarator.n ? " " : "",
			 declarator.p ? declarator.p : "");
}

/* The parameters from number @skip on. */
static void args_of_proto(struct lister *l, const struct btf_types *t, uint32_t func, unsigned skip,
			  struct attachable *ret)
{
	const struct btf_type *proto = btf_type(t, btf_type(t, func)->type);
	const char **args;

	if (!proto || btf_kind_of(proto) != BTF_KIND_FUNC_PROTO)
		return;
	args = arena_array(l->env->keep, btf_vlen_of(proto), sizeof(*args));
	for (unsigned i = skip; i < btf_vlen_of(proto); i++) {
		const struct btf_param *p = &btf_params_of(proto)[i];

		args[ret->nargs++] = p->type ? declared(l->env, t, p->type, btf_str(t, p->name_off)) : "...";
	}
	ret->args = args;
	ret->has_args = AVAIL_YES;
	if (!skip)
		ret->returns = btf_type_text(t, proto->type, l->env->keep);
}

static const char *module_of(struct lister *l, const char *module)
{
	return module ? arena_str(l->env->keep, module, SIZE_MAX) : NULL;
}

static void list_functions(void *ctx, const struct btf_types *t, const char *module)
{
	struct lister *l = ctx;

	module = module_of(l, module);
	for (uint32_t id = btf_start(t); id < btf_count(t); id++) {
		struct attachable *r;
		void **slot;

		if (btf_kind_of(btf_type(t, id)) != BTF_KIND_FUNC)
			continue;
		r = add(l, btf_name(t, id));
		if (!r)
			continue;
		r->module = module;
		args_of_proto(l, t, id, 0, r);
		slot = keys_put(&l->known, r->where);
		if (slot)
			*slot = l;
	}
}

#define RAW "btf_trace_"
#define CALLER "__traceiter_"
#define RECORD "trace_event_raw_"

/* Types that begin with the prefix, by the rest of their names. */
static void types_named(struct lister *l, const struct btf_types *t, unsigned kind, const char *prefix)
{
	for (uint32_t id = btf_start(t); id < btf_count(t); id++) {
		void **slot = btf_kind_of(btf_type(t, id)) == kind && str_starts(btf_name(t, id), prefix) ?
				      keys_put(&l->known, btf_name(t, id) + strlen(prefix)) :
				      NULL;

		if (slot)
			*slot = (void *)(uintptr_t)id;
	}
}

/* The prototype of a raw tracepoint has no names; the function that calls the programs has them. */
static void list_raw(void *ctx, const struct btf_types *t, const char *module)
{
	struct lister *l = ctx;

	module = module_of(l, module);
	keys_init(&l->known, l->env->keep);
	types_named(l, t, BTF_KIND_FUNC, CALLER);
	for (uint32_t id = btf_start(t); id < btf_count(t); id++) {
		const char *name = btf_name(t, id);
		struct attachable *r;
		uint32_t caller;

		if (btf_kind_of(btf_type(t, id)) != BTF_KIND_TYPEDEF || !str_starts(name, RAW))
			continue;
		name += strlen(RAW);
		r = add(l, name);
		if (!r)
			continue;
		r->module = module;
		caller = (uint32_t)(uintptr_t)keys_get(&l->known, name);
		/* The first parameter is the kernel's own. */
		args_of_proto(l, t, caller ? caller : btf_type(t, id)->type, 1, r);
	}
}

/* The members that follow those of all records, up to the variable data. */
static void args_of_record(struct lister *l, const struct btf_types *t, uint32_t id, struct attachable *ret)
{
	const struct btf_type *s = btf_type(t, id);
	const char **args = arena_array(l->env->keep, btf_vlen_of(s), sizeof(*args));

	for (unsigned i = 0; i < btf_vlen_of(s); i++) {
		const struct btf_member *m = &btf_members_of(s)[i];
		const char *name = btf_str(t, m->name_off);

		if (strcmp(name, "ent") != 0 && strcmp(name, "__data") != 0)
			args[ret->nargs++] = declared(l->env, t, m->type, name);
	}
	ret->args = args;
	ret->has_args = AVAIL_YES;
}

static void format_args(char *format, struct arena *a, const char *const **ret, uint32_t *ret_n)
{
	static const char field[] = "\tfield:";
	size_t lines = 1;
	const char **args;

	for (const char *p = format; *p; p++)
		lines += *p == '\n';
	args = arena_array(a, lines, sizeof(*args));
	*ret_n = 0;
	for (char *line; (line = strsep(&format, "\n"));) {
		char *text = line + strlen(field), *end, *name;

		if (!str_starts(line, field) || !(end = strchr(text, ';')))
			continue;
		*end = '\0';
		name = strrchr(text, ' ');
		if (!name || !str_starts(name + 1, "common_"))
			args[(*ret_n)++] = text;
	}
	*ret = args;
}

static int list_tracepoints(struct lister *l, struct err *e)
{
	const struct btf_types *t = NULL;
	struct err why = { 0 };
	struct blob all, format;
	uint32_t unknown = 0;
	bool file;
	char *lines;
	int err = ask_silently(l->env->machine, l->env->keep, &all, Q_TRACEPOINTS);

	if (err)
		return err_sys(e, err, "cannot read the list of tracepoints");
	if (!btf_get_default(l->env->machine, &t, &file, &why))
		types_named(l, t, BTF_KIND_STRUCT, RECORD);
	lines = blob_text(l->env->keep, &all);
	for (char *where, *name; (where = strsep(&lines, "\n"));) {
		struct attachable *r = (name = strchr(where, ':')) ? add(l, where) : NULL;
		uint32_t id;

		if (!r)
			continue;
		id = (uint32_t)(uintptr_t)keys_get(&l->known, name + 1);
		r->has_args = AVAIL_YES;
		if (!ask_silently(l->env->machine, l->env->keep, &format, Q_TRACEPOINT_FORMAT, .text = where))
			format_args(blob_text(l->env->keep, &format), l->env->keep, &r->args, &r->nargs);
		else if (id)
			args_of_record(l, t, id, r);
		else
			r->has_args = AVAIL_UNKNOWN, unknown++;
	}
	if (unknown)
		report_note(l->env->report, "arguments of %u tracepoint%s are unknown: their formats %s", unknown,
			    plural(unknown),
			    machine_is_saved(l->env->machine) ? "are not saved" : "in tracefs cannot be read");
	return 0;
}

/* Functions without types: those that the compiler changed, and all of them if the kernel has no BTF. */
static void list_symbols(struct lister *l)
{
	struct blob b;
	char *text = ask(l->env->machine, l->env->keep, &b, Q_KALLSYMS) ? NULL : blob_text(l->env->keep, &b);

	for (char *line; (line = strsep(&text, "\n"));) {
		const size_t digits = strspn(line, "0123456789abcdef");
		char *name = line + digits + 3, *module;
		struct attachable *r;

		if (!digits || strlen(line) < digits + 4 || !strchr("tTwW", line[digits + 1]))
			continue;
		module = strchr(name, '\t');
		if (module)
			*module++ = '\0';
		/* Symbols of BPF programs, of trampolines, and of the padding before functions. */
		if ((module && (!strcmp(module, "[bpf]") || str_starts(module, "[__builtin__"))) ||
		    str_starts(name, "__pfx_") || str_starts(name, "__cfi_") || keys_get(&l->known, name))
			continue;
		r = add(l, name);
		if (r && module && *module == '[' && strchr(module, ']')) {
			*strchr(module, ']') = '\0';
			r->module = module + 1;
		}
	}
}

static int list_file(struct lister *l, const char *path, struct err *e)
{
	CLEAN_FD fd = -1;
	__attribute__((cleanup(elf_funcs_free))) struct elf_funcs *f = NULL;
	const struct elf_func *all;
	size_t n;
	int err;

	if (machine_is_saved(l->env->machine)) {
		err_set(e, -ENODATA, "functions of files are not saved");
		return err_hint(e, "without --from, the functions of a file of this machine are listed");
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	err = fd < 0 ? -errno : elf_funcs_read(&f, fd);
	if (err == -ENOEXEC)
		return err_set(e, err, "%s is not an ELF file", path);
	if (err == -ENODATA)
		return err_set(e, err, "%s has no symbols of functions", path);
	if (err)
		return err_sys(e, err, "cannot read %s", path);
	all = elf_funcs_all(f, &n);
	for (size_t i = 0; i < n; i++) {
		struct attachable *r = NULL;

		/* Both symbol tables may have it. */
		if (!i || all[i].offset != all[i - 1].offset || strcmp(all[i].name, all[i - 1].name) != 0)
			r = add(l, arena_fmt(l->env->keep, "%s:%s", path, all[i].name));
		if (!r)
			continue;
		r->offset = all[i].offset;
		r->size = all[i].size;
		r->has_offset = AVAIL_YES;
	}
	return 0;
}

static int by_where(const void *pa, const void *pb)
{
	const struct attachable *a = pa, *b = pb;

	return strcmp(a->where, b->where) ?: strcmp(a->module ? a->module : "", b->module ? b->module : "");
}

static int attachable_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct lister l = { .env = env, .o = opts, .ret = ret };
	int err = 0;

	keys_init(&l.known, env->keep);
	if (l.o->tracepoint)
		err = list_tracepoints(&l, e);
	else if (l.o->raw_tracepoint)
		err = btf_each_of_kernel(env, list_raw, &l, e);
	else if (l.o->uprobe)
		err = list_file(&l, l.o->uprobe, e);
	else if (btf_each_of_kernel(env, list_functions, &l, e))
		report_unread(env->report, e);
	if (l.o->kprobe) {
		err_clear(e);
		list_symbols(&l);
	}
	if (err)
		return err;
	if (!ret->n && l.o->word)
		return err_set(e, -ENOENT, "no such place has '%s' in its name", l.o->word);
	if (ret->n)
		qsort(ret->rec, ret->n, sizeof(struct attachable), by_where);
	return 0;
}

static const struct arg list_args[] = {
	ARG("tracepoint", ARG_FLAG, struct list_opts, tracepoint, "tracepoints of perf events, with their records",
	    .flags = ARG_CHOICE),
	ARG("raw_tracepoint", ARG_FLAG, struct list_opts, raw_tracepoint,
	    "tracepoints, with the arguments that programs of types raw_tracepoint and tracing get",
	    .flags = ARG_CHOICE),
	ARG("kprobe", ARG_FLAG, struct list_opts, kprobe, "functions of the kernel and of modules",
	    .flags = ARG_CHOICE),
	ARG("uprobe", ARG_PATH, struct list_opts, uprobe, "functions of an executable file or library",
	    .metavar = "PATH", .flags = ARG_CHOICE),
	ARG("WORD", ARG_STR, struct list_opts, word, "only places with this text in their names",
	    .flags = ARG_POSITIONAL),
	RECORDS_ARGS(struct list_opts, records),
};

const struct command command_attach_list = {
	.name = "--list",
	.summary = "list what programs of tracing can be attached to",
	.help = "Prints WHERE for each place, with its arguments and their types, which are found in the types of the kernel and its modules, "
		"and for tracepoints in tracefs. Functions of the kernel also include those without types. The kernel refuses probes in "
		"some functions, above all in those that probes themselves need.",
	.example = "attach --list raw_tracepoint sched_switch",
	.schema = &attachable_schema,
	.flags = CMD_READ | CMD_OURS,
	ARGS(list_args, struct list_opts),
	COLLECT(attachable_collect, struct list_opts),
};
