/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/needs.h"

#include <linux/bpf.h>

#include "types/btf.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "object/file.h"
#include "object/gather.h"
#include "object/read.h"
#include "kernel/secname.h"

static uint64_t needed_hash(unsigned kind, const char *name, const char *type)
{
	return hash_text(hash_text(HASH_TEXT ^ kind, name), type ? type : "");
}

static void program_add(struct gather *g, struct needed *n)
{
	const char *name = g->prog ? g->prog->name : NULL;

	if (!name || (n->nprograms && !strcmp(n->programs[n->nprograms - 1], name)))
		return;
	ARENA_MORE(g->arena, n->programs, n->nprograms, n->room);
	n->programs[n->nprograms++] = name;
}

static struct needed *needed_find(struct needed *n, enum needed_kind kind, const char *name, const char *type)
{
	while (n && (n->kind != kind || strcmp(n->name, name) || strcmp(n->type ? n->type : "", type ? type : "")))
		n = n->same;
	return n;
}

struct needed *gather_find(struct gather *g, enum needed_kind kind, const char *name, const char *type)
{
	return needed_find(hash_get(&g->by_name, needed_hash(kind, name, type)), kind, name, type);
}

struct needed *gather_add(struct gather *g, enum needed_kind kind, const char *name, const char *type,
			  const char *optional)
{
	void **slot = hash_put(&g->by_name, needed_hash(kind, name, type));
	struct needed *n = needed_find(*slot, kind, name, type);
	const bool news = !n;

	if (news) {
		n = arena_alloc(g->arena, sizeof(*n));
		*n = (struct needed){ .kind = kind, .name = name, .type = type, .optional = optional, .same = *slot };
		*slot = n;
		*g->end = n;
		g->end = &n->next;
		g->n++;
	}
	/* Programs that can do without it are listed only if all can. */
	if (!optional && n->optional)
		n->nprograms = 0;
	if (!optional)
		n->optional = NULL;
	if (!optional == !n->optional)
		program_add(g, n);
	return news ? n : NULL;
}

void gather_feature(struct gather *g, const char *name, enum needed_state state, const char *why)
{
	struct needed *n = gather_add(g, NEEDED_FEATURE, name, NULL, g->optional);

	if (!n)
		return;
	n->state = state;
	n->why = why;
}

static void loader_add(struct gather *g, enum needed_kind kind, const char *name, const char *why)
{
	struct needed *n = gather_add(g, kind, name, NULL, NULL);

	if (!n)
		return;
	n->state = NEEDED_LOADER;
	n->why = why;
}

/* The name that the kernel looks up in its types when the program is loaded; NULL: none. */
static const char *hook_target_name(struct gather *g, const struct hook *h, const char *target, unsigned *ret_kind)
{
	const char *module = strchr(target, ':');

	*ret_kind = BTF_KIND_FUNC;
	switch (h->type) {
	case BPF_TRACE_RAW_TP:
		*ret_kind = BTF_KIND_TYPEDEF;
		return arena_fmt(g->arena, "btf_trace_%s", target);
	case BPF_TRACE_FENTRY:
	case BPF_TRACE_FEXIT:
	case BPF_MODIFY_RETURN:
	case ABI_ATTACH_FSESSION:
		return module ? module + 1 : target;
	case BPF_LSM_MAC:
	case ABI_ATTACH_LSM_CGROUP:
		return arena_fmt(g->arena, "bpf_lsm_%s", target);
	case BPF_TRACE_ITER:
		return arena_fmt(g->arena, "bpf_iter_%s", target);
	default:
		return NULL;
	}
}

static void target_add(struct gather *g, const struct hook *h, const char *target)
{
	unsigned kind;
	const char *name = hook_target_name(g, h, target ? target : "", &kind);
	struct needed *n;

	if (h->kind == HOOK_EXT)
		loader_add(g, NEEDED_TARGET, target ? target : g->prog->name,
			   "the loader names the program with this function");
	else if (name && !target)
		loader_add(g, NEEDED_TARGET, g->prog->name, "its section does not name its target");
	else if (name)
		if ((n = gather_add(g, NEEDED_TARGET, name, NULL, g->optional)))
			n->state = kernel_named(g->k, name, kind, &n->why);
}

/* Does the kernel check the attach type of this program type at loading? For other types it matters only when they are
 * attached. */
static bool is_loaded_for(uint32_t prog)
{
	switch (prog) {
	case ABI_PROG_CGROUP_SKB:
	case ABI_PROG_CGROUP_SOCK:
	case ABI_PROG_CGROUP_SOCK_ADDR:
	case ABI_PROG_CGROUP_SOCKOPT:
	case ABI_PROG_SK_LOOKUP:
	case ABI_PROG_SK_REUSEPORT:
	case ABI_PROG_NETFILTER:
	case ABI_PROG_TRACING:
	case ABI_PROG_LSM:
		return true;
	default:
		return false;
	}
}

static void type_add(struct gather *g, const struct hook *h)
{
	const uint32_t prog = h->progs[0];
	const char *attach = secname_attach_type(h),
		   *optional = is_loaded_for(prog) ? g->optional : "only to attach it";
	struct needed *n;

	if ((n = gather_add(g, NEEDED_PROG_TYPE, g->prog->type ? g->prog->type : "unknown", NULL, g->optional)))
		n->state = kernel_prog_type(g->k, prog, &n->why);
	if (attach)
		if ((n = gather_add(g, NEEDED_ATTACH_TYPE, attach, g->prog->type, optional)))
			n->state = kernel_attach_type(g->k, prog, (uint32_t)h->type, &n->why);
}

static enum needed_state sleepable(const struct need_kernel *k, const char **why)
{
	const enum needed_state aux = kernel_member(k, "bpf_prog_aux", "sleepable", why);

	return aux == NEEDED_MISSING ? kernel_member(k, "bpf_prog", "sleepable", why) : aux;
}

static uint32_t prog_type(const struct object_prog *p)
{
	const struct secname_guess guess = secname_guess(p->section);

	return guess.hook ? guess.hook->progs[0] : 0;
}

static void program_needs(struct gather *g)
{
	const struct object_prog *p = g->prog;
	const struct secname_guess guess = secname_guess(p->section);
	const char *why = NULL;
	enum needed_state state;
	struct needed *n;

	if (!guess.hook) {
		n = gather_add(g, NEEDED_PROG_TYPE, p->section, NULL, g->optional);
		if (n)
			n->why = "the section's name does not determine a program type: `prog load` needs 'type'";
	} else {
		type_add(g, guess.hook);
		target_add(g, guess.hook, guess.target);
	}
	if (guess.sleepable && guess.hook && guess.hook->progs[0] != ABI_PROG_SYSCALL) {
		state = sleepable(g->k, &why);
		gather_feature(g, "sleepable programs", state, why);
	}
	if (str_starts(p->section, "xdp.frags")) {
		state = kernel_member(g->k, "bpf_prog_aux", "xdp_has_frags", &why);
		gather_feature(g, "XDP programs for packets in several buffers", state, why);
	}
	if (p->total_insns > BPF_MAXINSNS) {
		state = kernel_misc(g->k, "large_insn_limit", &why);
		gather_feature(g, "programs of more than 4096 instructions", state, why);
	}
	gather_code(g);
}

/* BPF_F_NO_PREALLOC */
static const char *flag_name(unsigned bit, struct arena *a)
{
	char *name = arena_fmt(a, "%s%s", names_map_flag.prefix, names_of(&names_map_flag, bit));

	for (char *p = name; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return name;
}

static void flags_needs(struct gather *g, uint64_t flags)
{
	const char *with = flag_name(0, g->arena);

	for (unsigned bit = 0; bit < names_map_flag.n; bit++) {
		const char *name = flags >> bit & 1 ? flag_name(bit, g->arena) : NULL;
		struct needed *n = name ? gather_add(g, NEEDED_MAP_FLAG, name, NULL, g->optional) : NULL;

		if (n)
			n->state = kernel_enumerator(g->k, name, with, &n->why);
	}
}

/* Types without a size, or whose size libbpf determines. */
static bool needs_no_size(const char *type)
{
	static const char *const types[] = { "perf_event_array",      "sk_storage",   "inode_storage",
					     "task_storage",	      "cgrp_storage", "cgroup_storage",
					     "percpu_cgroup_storage", "struct_ops" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static void map_needs(struct gather *g, const struct object_map *m)
{
	const char *type = m->type ? m->type : "", *why = NULL;
	struct needed *n;

	g->optional = m->section && *m->section == '?' ? "it is not created by default" : NULL;
	if (*type)
		if ((n = gather_add(g, NEEDED_MAP_TYPE, type, NULL, g->optional)))
			n->state = kernel_map_type(g->k, type, &n->why);
	if (m->internal) {
		const enum needed_state state = kernel_member(g->k, "bpf_map_ops", "map_direct_value_addr", &why);

		gather_feature(g, "global data", state, why);
	}
	if (!m->internal)
		flags_needs(g, m->flags);
	if (!m->max_entries && !needs_no_size(type))
		loader_add(g, NEEDED_MAP_SIZE, m->name, "its max_entries is 0 in the file");
	if (m->pinning)
		loader_add(g, NEEDED_PIN, m->name, "it is pinned by name, in the bpffs that its loader chooses");
	if (!strcmp(type, "struct_ops") && m->value_type && str_starts(m->value_type, "struct ")) {
		const char *name = arena_fmt(g->arena, "bpf_struct_ops_%s", m->value_type + strlen("struct "));

		if ((n = gather_add(g, NEEDED_TYPE, name, NULL, g->optional)))
			n->state = kernel_named(g->k, name, BTF_KIND_STRUCT, &n->why);
	}
}

static enum needed_state kconfig_state(const struct need_kernel *k, const char *name, const char **why)
{
	const char *value;

	/* libbpf provides these values. */
	if (!str_starts(name, "CONFIG_"))
		return NEEDED_HERE;
	if (!kernel_config(k, name, &value)) {
		*why = "the kernel's configuration is unknown";
		return NEEDED_UNKNOWN;
	}
	if (value)
		return NEEDED_HERE;
	*why = "it is not set";
	return NEEDED_MISSING;
}

static enum needed_state ksym_state(struct gather *g, const struct object_extern *x, const char **why)
{
	if (!strcmp(x->type, "void") || !strcmp(x->type, "const void"))
		return kernel_symbol(g->k, x->name, why);
	return kernel_named(g->k, x->name, BTF_KIND_VAR, why);
}

/* libbpf looks up all of them, even if no program uses them. */
static void extern_needs(struct gather *g, const struct object_extern *x)
{
	const bool func = g->o->btf && btf_find(g->o->btf, x->name, BTF_KIND_FUNC),
		   option = !strcmp(x->kind, "kconfig");
	struct needed *n = gather_add(g,
				      option ? NEEDED_KCONFIG :
				      func   ? NEEDED_KFUNC :
					       NEEDED_KSYM,
				      x->name, NULL, x->weak ? "it is weak" : NULL);

	if (n)
		n->state = option ? kconfig_state(g->k, x->name, &n->why) :
			   func	  ? kernel_kfunc(g->k, x->name, &n->why) :
				    ksym_state(g, x, &n->why);
}

/* The order: missing, for the loader, unknown, optional, there. */
static unsigned rank(const struct needed *n)
{
	if (n->state == NEEDED_HERE)
		return NEEDED_STATES;
	return n->optional ? NEEDED_HERE : n->state;
}

static int by_rank(const void *pa, const void *pb)
{
	const struct needed *a = pa, *b = pb;

	return NUM_CMP(rank(a), rank(b))	 ?:
		       NUM_CMP(a->kind, b->kind) ?:
		       strcmp(a->name, b->name)	 ?:
						   strcmp(a->type ?: "", b->type ?: "");
}

static void needs_finish(struct gather *g, struct needs_rec *ret)
{
	struct needed *all = arena_array(g->arena, g->n, sizeof(*all));
	uint32_t n = 0;

	for (const struct needed *p = g->first; p; p = p->next) {
		all[n++] = *p;
		if (!p->optional)
			ret->count[p->state]++;
	}
	if (n)
		qsort(all, n, sizeof(*all), by_rank);
	ret->needs = all;
	ret->nneeds = n;
	ret->verdict = ret->count[NEEDED_MISSING] ? NEEDED_MISSING :
		       ret->count[NEEDED_UNKNOWN] ? NEEDED_UNKNOWN :
						    NEEDED_HERE;
}

int needs_read(const struct object *o, struct need_kernel *k, struct needs_rec *ret, struct err *e)
{
	struct gather g = { .o = o, .k = k, .arena = o->arena, .end = &g.first };
	const struct object_prog *progs;
	const struct object_map *maps;
	const struct object_extern *externs;
	uint32_t nprogs, nmaps, nexterns;
	int err = object_progs(o, &progs, &nprogs, e);

	if (err)
		return err;
	*ret = (struct needs_rec){ .file = o->path, .kernel = k->name };
	gather_begin(&g);
	object_externs(o, &externs, &nexterns);
	for (uint32_t i = 0; i < nexterns; i++)
		extern_needs(&g, &externs[i]);
	for (uint32_t i = 0; i < nprogs; i++) {
		g.prog = &progs[i];
		g.prog_type = prog_type(&progs[i]);
		g.optional = progs[i].autoload ? NULL : "the program is not loaded by default";
		program_needs(&g);
	}
	g.prog = NULL;
	gather_library(&g);
	object_maps(o, &maps, &nmaps);
	for (uint32_t i = 0; i < nmaps; i++)
		map_needs(&g, &maps[i]);
	needs_finish(&g, ret);
	return 0;
}
