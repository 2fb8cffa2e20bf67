/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/infile.h"
#include "types/btf.h"
#include "types/types_ref.h"
#include "cli/env.h"
#include "source/features.h"
#include "host/caps.h"
#include "host/elf/elf.h"
#include "kernel/names.h"
#include "object/core.h"
#include "object/needs.h"
#include "source/facts.h"
#include "source/info.h"

static const char types_unclear[] = "types do not show it", typeless[] = "the kernel has no type information",
		  unknown_types[] = "the kernel's types are unknown";

/* BTF, or an ELF file that may have BTF? Other files are archives, or refused. */
static bool types_begin(const void *p, size_t n)
{
	const unsigned char *head = p;

	return n >= 4 && (elf_is(p, n) || (head[0] == 0x9f && head[1] == 0xeb) || (head[0] == 0xeb && head[1] == 0x9f));
}

static uint32_t version_parse(const char *release)
{
	unsigned v[3] = { 0 };

	if (!release || sscanf(release, "%u.%u.%u", &v[0], &v[1], &v[2]) < 2 || v[0] > 255 || v[1] > 255)
		return 0;
	return v[0] << 16 | v[1] << 8 | (v[2] > 255 ? 255 : v[2]);
}

static void tags_find(struct need_kernel *k)
{
	for (uint32_t id = 1; !k->tagged && id < btf_count(k->types); id++) {
		const struct btf_type *type = btf_type(k->types, id);

		k->tagged = btf_kind_of(type) == BTF_KIND_DECL_TAG &&
			    !strcmp(btf_str(k->types, type->name_off), "bpf_kfunc");
	}
}

static void features_find(struct need_kernel *k)
{
	char names[128];
	struct feature_answer *answer;
	int err;

	/* Without these capabilities everything would look missing. */
	if (!machine_is_saved(k->env->machine) && caps_missing(names, sizeof(names))) {
		k->no_features = arena_fmt(k->env->keep, "the kernel reports it only with %s", names);
		return;
	}
	err = feature_ask_all(k->env->machine, 0, 0, k->env->keep, &answer);
	k->no_features = err == -ENODATA ? "it is not in the archive" : "the kernel does not report it";
	k->features = err ? NULL : answer;
}

static int machine_learn(struct need_kernel *k, struct err *e)
{
	const char *release = facts_release(k->env->machine);
	struct blob config;
	bool file;
	int err = btf_get_default(k->env->machine, &k->types, &file, e);

	/* A kernel without types, or an archive without the kernel's types, has the rest. */
	k->typeless = err == -ENOENT;
	if (err == -ENOENT || err == -ENODATA)
		err_clear(e);
	else if (err)
		return err;
	k->name = release ? arena_fmt(k->env->keep, "Linux %s", release) : "the kernel";
	k->version = version_parse(release);
	if (!ask_silently(k->env->machine, k->env->keep, &config, Q_KCONFIG))
		k->config = blob_text(k->env->keep, &config);
	features_find(k);
	return 0;
}

int need_kernel_open(struct env *env, const char *which, struct need_kernel *ret, struct err *e)
{
	const struct types_ref from = { .by = TYPES_FILE, .path = which };
	int err;

	*ret = (struct need_kernel){ .env = arena_dup(env->keep, env, sizeof(*env)) };
	if (which && infile_is(which, types_begin)) {
		ret->file = true;
		ret->name = which;
		ret->no_features = types_unclear;
		err = btf_types_get(env, &from, &ret->types, e);
	} else {
		err = which ? env_other(env, which, ret->env, e) : 0;
		if (!err)
			err = machine_learn(ret, e);
		if (!err && which)
			env_other_end(ret->env);
	}
	if (!err && ret->types)
		tags_find(ret);
	return err;
}

static enum needed_state of_reason(const struct need_kernel *k, int why, const char **ret_why)
{
	switch (feature_state(why)) {
	case FEATURE_HERE:
		return NEEDED_HERE;
	case FEATURE_NOT:
		return NEEDED_MISSING;
	case FEATURE_REFUSED:
		*ret_why = arena_fmt(k->env->keep, "refused: %s", err_text(-why));
		return NEEDED_MISSING;
	default:
		*ret_why = why > 0 ? arena_fmt(k->env->keep, "unknown: %s", err_text(-why)) : "it was not tried";
		return NEEDED_UNKNOWN;
	}
}

/* Does one of the kernel's enums have a name for it? */
static enum needed_state by_enum(const struct need_kernel *k, const struct name_table *t, uint64_t value,
				 const char **ret_why)
{
	const uint32_t id = k->types ? btf_find(k->types, t->btf_enum, BTF_KIND_ENUM) : 0;
	const char *name = id ? btf_enum_name(k->types, id, (int64_t)value) : NULL;

	if (!id) {
		*ret_why = k->types ? types_unclear : k->no_features;
		return NEEDED_UNKNOWN;
	}
	return name && !strncmp(name, t->prefix, strlen(t->prefix)) ? NEEDED_HERE : NEEDED_MISSING;
}

enum needed_state kernel_prog_type(const struct need_kernel *k, uint32_t type, const char **ret_why)
{
	if (k->features && type < FEATURE_TYPES && feature_state(k->features->prog[type]) != FEATURE_UNKNOWN)
		return of_reason(k, k->features->prog[type], ret_why);
	return by_enum(k, &names_prog_type, type, ret_why);
}

enum needed_state kernel_attach_type(const struct need_kernel *k, uint32_t prog, uint32_t attach, const char **ret_why)
{
	const int why = k->features ? feature_way(k->features, prog, attach) : -1;

	return why >= 0 ? of_reason(k, why, ret_why) : by_enum(k, &names_attach_type, attach, ret_why);
}

enum needed_state kernel_map_type(const struct need_kernel *k, const char *type, const char **ret_why)
{
	const int nr = names_value(&names_map_type, type);

	if (nr < 0) {
		*ret_why = "bpflens does not know its number";
		return NEEDED_UNKNOWN;
	}
	if (k->features && nr < FEATURE_TYPES && feature_state(k->features->map[nr]) != FEATURE_UNKNOWN)
		return of_reason(k, k->features->map[nr], ret_why);
	return by_enum(k, &names_map_type, (uint64_t)nr, ret_why);
}

enum needed_state kernel_helper(const struct need_kernel *k, uint32_t prog, uint32_t id, const char **ret_why)
{
	static const struct name_table ids = { "helper", "bpf_func_id", "BPF_FUNC_", NULL, 0, 0 };
	const enum needed_state named = by_enum(k, &ids, id, ret_why);

	switch (k->features ? feature_helper(k->features, prog, id) : FEATURE_UNKNOWN) {
	case FEATURE_HERE:
		return NEEDED_HERE;
	case FEATURE_NOT:
		*ret_why = named == NEEDED_HERE ? "the kernel has it for programs of other types" :
						  "the kernel does not have it";
		return NEEDED_MISSING;
	default:
		*ret_why = named == NEEDED_MISSING ? "the kernel does not have it" :
			   named == NEEDED_HERE	   ? "the kernel has it, perhaps not for this type" :
						     k->no_features;
		return named == NEEDED_MISSING ? NEEDED_MISSING : NEEDED_UNKNOWN;
	}
}

enum needed_state kernel_misc(const struct need_kernel *k, const char *name, const char **ret_why)
{
	const int why = k->features ? feature_misc(k->features, name) : -1;

	if (k->features)
		return of_reason(k, why, ret_why);
	*ret_why = k->no_features;
	return NEEDED_UNKNOWN;
}

enum needed_state kernel_typeless(const struct need_kernel *k, const char **ret_why)
{
	*ret_why = k->typeless ? typeless : unknown_types;
	return k->typeless ? NEEDED_MISSING : NEEDED_UNKNOWN;
}

/* Only a machine has modules. Its list also has the kernel's own BTF object. */
static void modules_find(struct need_kernel *k)
{
	const struct btf_types *vmlinux;
	struct abi_btf_info info;
	uint32_t own = 0, len, *ids;
	struct blob all;

	if (k->has_modules)
		return;
	k->has_modules = true;
	if (k->file || btf_get_vmlinux(k->env->machine, &vmlinux, &own, NULL) ||
	    ask_silently(k->env->machine, k->env->keep, &all, question_of(Q_IDS, OBJECT_BTF)))
		return;
	ids = arena_array(k->env->keep, all.n / sizeof(*ids), sizeof(*ids));
	for (size_t i = 0; i + sizeof(*ids) <= all.n; i += sizeof(*ids)) {
		uint32_t id;

		memcpy(&id, all.p + i, sizeof(id));
		if (id != own && !info_get(k->env->machine, k->env->keep, OBJECT_BTF, id, &info, sizeof(info), &len) &&
		    info.kernel_btf)
			ids[k->nmodules++] = id;
	}
	k->modules = ids;
}

/* One at a time, because they do not all fit into the cache. NULL: no more. */
static const struct btf_types *module_next(struct need_kernel *k, size_t *i)
{
	const struct btf_types *t;

	modules_find(k);
	while (*i < k->nmodules)
		if (!btf_get(k->env->machine, k->modules[(*i)++], &t, NULL))
			return t;
	return NULL;
}

enum needed_state kernel_named(struct need_kernel *k, const char *name, unsigned btf_kind, const char **ret_why)
{
	const struct btf_types *t;

	if (!k->types)
		return kernel_typeless(k, ret_why);
	if (btf_find(k->types, name, btf_kind))
		return NEEDED_HERE;
	for (size_t i = 0; (t = module_next(k, &i));)
		if (btf_find(t, name, btf_kind))
			return NEEDED_HERE;
	*ret_why = k->file ? "it may be in a module, whose types are not in the file" : NULL;
	return NEEDED_MISSING;
}

static bool is_tagged(const struct btf_types *t, uint32_t func)
{
	for (uint32_t id = 1; id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);

		if (btf_kind_of(type) == BTF_KIND_DECL_TAG && type->type == func &&
		    !strcmp(btf_str(t, type->name_off), "bpf_kfunc"))
			return true;
	}
	return false;
}

enum needed_state kernel_kfunc(struct need_kernel *k, const char *name, const char **ret_why)
{
	const uint32_t func = k->types ? btf_find(k->types, name, BTF_KIND_FUNC) : 0;
	const char *unclear;

	if (func && kernel_member(k, "bpf_prog_aux", "kfunc_tab", &unclear) == NEEDED_MISSING) {
		*ret_why = "it is a kernel function, and programs call those since Linux 5.13";
		return NEEDED_MISSING;
	}
	if (!func || !k->tagged || is_tagged(k->types, func))
		return kernel_named(k, name, BTF_KIND_FUNC, ret_why);
	*ret_why = "it is a kernel function, but programs cannot call it";
	return NEEDED_MISSING;
}

enum needed_state kernel_symbol(const struct need_kernel *k, const char *name, const char **ret_why)
{
	const struct symbols *s = k->file ? NULL : facts_symbols(k->env->machine);

	if (s && symbols_find_named(s, name))
		return NEEDED_HERE;
	if (s && symbols_count(s))
		return NEEDED_MISSING;
	*ret_why = k->file ? types_unclear : "the kernel's symbols cannot be read";
	return NEEDED_UNKNOWN;
}

bool kernel_config(const struct need_kernel *k, const char *option, const char **ret)
{
	const size_t n = strlen(option);

	if (!k->config)
		return false;
	*ret = NULL;
	for (const char *p = k->config; (p = strstr(p, option)); p += n)
		if ((p == k->config || p[-1] == '\n') && p[n] == '=') {
			*ret = arena_str(k->env->keep, p + n + 1, strcspn(p + n + 1, "\n"));
			break;
		}
	return true;
}

enum needed_state kernel_member(const struct need_kernel *k, const char *type, const char *member, const char **ret_why)
{
	const uint32_t id = k->types ? btf_find(k->types, type, BTF_KIND_STRUCT) : 0;
	const struct btf_type *t;

	if (!id) {
		*ret_why = types_unclear;
		return NEEDED_UNKNOWN;
	}
	t = btf_type(k->types, id);
	for (uint32_t i = 0; i < btf_vlen_of(t); i++)
		if (!strcmp(btf_str(k->types, btf_members_of(t)[i].name_off), member))
			return NEEDED_HERE;
	return NEEDED_MISSING;
}

enum needed_state kernel_core(struct need_kernel *k, struct core_target *t, const struct core_reloc *r,
			      const char **ret_why)
{
	const struct btf_types *module;
	struct core_found found;
	size_t n;

	if (core_find(t, r, 0, &found)) {
		if (!core_is_ambiguous(t, r))
			return NEEDED_HERE;
		*ret_why = core_missing(t, r);
		return NEEDED_MISSING;
	}
	/* Search modules only if the kernel itself has no type of that name. */
	core_candidates(t, r->type, &n);
	for (size_t i = 0; !n && (module = module_next(k, &i));) {
		ARENA scratch = arena_new();
		struct core_target there;

		core_target_init(&there, module, t->local, scratch);
		if (core_find(&there, r, 0, &found))
			return NEEDED_HERE;
	}
	*ret_why = core_missing(t, r);
	return NEEDED_MISSING;
}

static bool has_enumerator(const struct btf_types *t, const char *name)
{
	for (uint32_t id = 1; id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);

		for (uint32_t i = 0; btf_kind_of(type) == BTF_KIND_ENUM && i < btf_vlen_of(type); i++)
			if (!strcmp(btf_str(t, btf_enums_of(type)[i].name_off), name))
				return true;
	}
	return false;
}

enum needed_state kernel_enumerator(const struct need_kernel *k, const char *name, const char *with,
				    const char **ret_why)
{
	if (k->types && has_enumerator(k->types, name))
		return NEEDED_HERE;
	if (k->types && has_enumerator(k->types, with))
		return NEEDED_MISSING;
	*ret_why = types_unclear;
	return NEEDED_UNKNOWN;
}
