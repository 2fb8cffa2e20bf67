/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>

#include "types/btf.h"
#include "kernel/abi.h"
#include "kernel/names.h"
#include "object/file.h"
#include "object/gather.h"
#include "object/read.h"
#include "object/reach.h"
#include "code/xlated.h"

#define LOAD_ACQUIRE 0x100 /* BPF_LOAD_ACQ, BPF_STORE_REL */
#define STORE_RELEASE 0x110

static const char unreached[] = "unreachable with this kernel";

void gather_begin(struct gather *g)
{
	const struct object *o = g->o;
	uint32_t n = 0;

	hash_init(&g->by_name, g->arena);
	g->first_core = arena_array(g->arena, o->elf.nsects, sizeof(*g->first_core));
	for (uint32_t i = 1; o->ext[EXT_CORE] && i < o->elf.nsects; i++) {
		g->first_core[i] = n;
		n += o->ext[EXT_CORE][i].n;
	}
	object_cores(o, &g->cores, &n);
	if (g->k->types && o->btf)
		core_target_init(&g->target, g->k->types, o->btf, g->arena);
	g->reached = arena_array(g->arena, o->nfuncs, sizeof(*g->reached));
	g->loops = arena_array(g->arena, o->nfuncs, sizeof(*g->loops));
	g->visited = arena_array(g->arena, o->nfuncs, sizeof(*g->visited));
}

static enum needed_state state_of(struct gather *g, enum needed_kind kind, const char *name)
{
	const struct needed *n = gather_find(g, kind, name, NULL);

	return n ? n->state : NEEDED_UNKNOWN;
}

static bool relocated(struct gather *g, const struct ext_part *part, uint64_t *ret)
{
	const struct core_reloc r = core_reloc(g->o, part, 0);
	struct core_found found;
	const char *why;

	switch (r.kind) {
	case CORE_FIELD_EXISTS:
	case CORE_TYPE_EXISTS:
	case CORE_ENUMVAL_EXISTS:
		*ret = kernel_core(g->k, &g->target, &r, &why) == NEEDED_HERE;
		return true;
	case CORE_TYPE_MATCHES:
		*ret = 0;
		return !core_find(&g->target, &r, 0, &found);
	case CORE_ENUMVAL_VALUE:
		if (!core_find(&g->target, &r, 0, &found))
			return false;
		*ret = found.value;
		return true;
	default:
		return false;
	}
}

/* The number that an instruction loads: of a CO-RE relocation, or the address of a weak symbol (0 or not). */
static bool code_number(void *ctx, uint32_t section, uint64_t off, uint64_t *ret)
{
	struct gather *g = ctx;
	const struct ext_part part = object_ext(g->o, EXT_CORE, section, off, INSN_SIZE);
	struct code_ref t;
	enum needed_state kfunc, ksym;

	if (part.n)
		return g->target.types && relocated(g, &part, ret);
	t = object_code_ref(g->o, section, off);
	if (t.kind != CODE_REF_SYMBOL || !t.symbol->undefined)
		return false;
	kfunc = state_of(g, NEEDED_KFUNC, t.symbol->name);
	ksym = state_of(g, NEEDED_KSYM, t.symbol->name);
	if (kfunc == NEEDED_UNKNOWN && ksym == NEEDED_UNKNOWN)
		return false;
	*ret = kfunc == NEEDED_HERE || ksym == NEEDED_HERE ? UINT64_MAX : 0;
	return true;
}

/* Convert the value of an option as libbpf does, by the type of the variable. */
static bool option_number(const struct object *o, const char *name, const char *value, uint64_t *ret)
{
	const uint32_t var = o->btf ? btf_find(o->btf, name, BTF_KIND_VAR) : 0;
	const struct btf_type *type = var ? btf_resolved(o->btf, btf_type(o->btf, var)->type) : NULL;
	const bool is_int = type && btf_kind_of(type) == BTF_KIND_INT;
	char *end;

	if (!value) {
		*ret = 0;
		return true;
	}
	if (!strcmp(value, "y") || !strcmp(value, "m")) {
		const bool letter =
			is_int && type->size == 1 && !(BTF_INT_ENCODING(*(const uint32_t *)(type + 1)) & BTF_INT_BOOL);

		*ret = letter ? (uint64_t)*value : *value == 'y' ? 1 : 2;
		return type;
	}
	*ret = strtoull(value, &end, 0);
	return end != value && !*end && is_int;
}

static bool kconfig(void *ctx, const struct elf_symbol *symbol, uint64_t *ret)
{
	struct gather *g = ctx;
	const char *value, *why;
	enum needed_state cookie;

	if (!strcmp(symbol->name, "LINUX_KERNEL_VERSION")) {
		*ret = g->k->version;
		return g->k->version;
	}
	if (!strcmp(symbol->name, "LINUX_HAS_BPF_COOKIE")) {
		cookie = kernel_helper(g->k, ABI_PROG_KPROBE, BPF_FUNC_get_attach_cookie, &why);
		*ret = cookie == NEEDED_HERE;
		return cookie != NEEDED_UNKNOWN;
	}
	return str_starts(symbol->name, "CONFIG_") && kernel_config(g->k, symbol->name, &value) &&
	       option_number(g->o, symbol->name, value, ret);
}

static const bool *func_reached(struct gather *g, uint32_t i)
{
	const struct reach_ask ask = { .number = code_number, .kconfig = kconfig, .ctx = g };

	if (!g->reached[i])
		g->reached[i] = reach_func(g->o, &g->o->funcs[i], &ask, g->arena, &g->loops[i]);
	return g->reached[i];
}

static enum needed_kind core_kind_of(uint32_t kind)
{
	return kind <= CORE_RSHIFT					 ? NEEDED_MEMBER :
	       kind == CORE_ENUMVAL_EXISTS || kind == CORE_ENUMVAL_VALUE ? NEEDED_ENUMERATOR :
									   NEEDED_TYPE;
}

/* libbpf has the number 0 for the size and the id of a type that is not there, and leaves the rest to the verifier. */
static bool is_zero_without(struct gather *g, const struct core_reloc *r)
{
	struct core_found found;

	return g->target.types && (r->kind == CORE_TYPE_SIZE || r->kind == CORE_TYPE_ID_TARGET) &&
	       !core_find(&g->target, r, 0, &found);
}

static void core_need(struct gather *g, uint32_t section, const struct ext_part *part, const char *optional)
{
	const struct core_reloc r = core_reloc(g->o, part, 0);
	const struct object_core *c =
		&g->cores[g->first_core[section] + (uint32_t)((part->p - g->o->ext[EXT_CORE][section].p) / part->size)];
	const char *type = r.kind < CORE_KINDS ? c->type : arena_fmt(g->arena, "%s of kind %u", c->type, r.kind);
	const char *name = c->path ? arena_fmt(g->arena, "%s%s%s", type,
					       *c->path == '['	    ? "" :
					       r.kind > CORE_RSHIFT ? " " :
								      ".",
					       c->path) :
				     type;
	struct needed *n;

	if (r.kind == CORE_TYPE_ID_LOCAL)
		return;
	/* Without types libbpf cannot relocate any of these. */
	if (g->target.types && (r.kind == CORE_FIELD_EXISTS || r.kind == CORE_TYPE_EXISTS ||
				r.kind == CORE_ENUMVAL_EXISTS || r.kind == CORE_TYPE_MATCHES))
		optional = "the program tests whether it exists";
	n = gather_add(g, core_kind_of(r.kind), name, NULL, optional);
	/* Found by a test for its existence, and also needed otherwise. */
	if (!n && !optional && is_zero_without(g, &r))
		n = gather_find(g, core_kind_of(r.kind), name, NULL);
	if (!n)
		return;
	if (!g->target.types) {
		n->state = kernel_typeless(g->k, &n->why);
	} else if (r.kind >= CORE_KINDS) {
		n->state = NEEDED_UNKNOWN;
		n->why = "bpflens does not know its kind";
	} else {
		n->state = kernel_core(g->k, &g->target, &r, &n->why);
		if (n->state == NEEDED_MISSING && is_zero_without(g, &r)) {
			n->state = NEEDED_UNKNOWN;
			n->why = arena_fmt(g->arena, "%s; libbpf puts 0 there", n->why);
		}
	}
}

/* The helper that libbpf calls instead of a missing newer one; or, for a helper that is not tried (own/probe/probe.h),
 * a helper whose presence shows that it is there. */
static uint32_t stand_in(uint32_t id, enum needed_state state)
{
	switch (state == NEEDED_MISSING ? id : 0) {
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_user:
		return BPF_FUNC_probe_read;
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_read_user_str:
		return BPF_FUNC_probe_read_str;
	}
	switch (state == NEEDED_UNKNOWN ? id : 0) {
	case BPF_FUNC_trace_printk:
		return BPF_FUNC_probe_read_kernel;
	case BPF_FUNC_trace_vprintk:
		return BPF_FUNC_snprintf;
	default:
		return 0;
	}
}

/* Helpers that the kernel has only for programs that may sleep. */
static bool is_sleeping(uint32_t id)
{
	return id == BPF_FUNC_copy_from_user || id == BPF_FUNC_copy_from_user_task || id == BPF_FUNC_ima_inode_hash ||
	       id == BPF_FUNC_ima_file_hash;
}

static enum needed_state helper_state(const struct gather *g, uint32_t id, bool main, const char **why)
{
	const enum needed_state state = g->prog_type ? kernel_helper(g->k, g->prog_type, id, why) : NEEDED_UNKNOWN;
	const uint32_t other = stand_in(id, state);
	const char *no;

	if (state != NEEDED_MISSING && is_sleeping(id) && !g->prog->sleepable && g->prog_type != ABI_PROG_SYSCALL) {
		*why = main ? "only programs that may sleep can call it" : "only callbacks that may sleep can call it";
		return main ? NEEDED_MISSING : NEEDED_UNKNOWN;
	}
	if (!other || kernel_helper(g->k, g->prog_type, other, &no) != NEEDED_HERE)
		return state;
	*why = state == NEEDED_MISSING ? arena_fmt(g->arena, "libbpf calls %s", names_helper(other)) : NULL;
	return NEEDED_HERE;
}

/* @main: not in a function that the program calls, or has for a callback. */
static void call_need(struct gather *g, const struct insn *i, const struct code_ref *t, bool main, const char *optional)
{
	const char *name;
	struct needed *n;

	if (t->kind == CODE_REF_SYMBOL && t->symbol->undefined) {
		if ((n = gather_add(g, NEEDED_KFUNC, t->symbol->name, NULL, optional)))
			n->state = kernel_kfunc(g->k, t->symbol->name, &n->why);
	} else if (t->kind == CODE_REF_NONE && i->src == INSN_CALL_HELPER) {
		name = i->imm > 0 ? names_helper((uint32_t)i->imm) : NULL;
		name = name ? name : arena_fmt(g->arena, "helper %d", i->imm);
		if ((n = gather_add(g, NEEDED_HELPER, name, g->prog->type, optional)))
			n->state = helper_state(g, (uint32_t)i->imm, main, &n->why);
	}
}

/* The version of the instruction set that it requires; 1: every kernel has it. */
static unsigned version_of(const struct insn *i)
{
	const unsigned class = i->code & 7, op = i->code & 0xf0, mode = i->code & 0xe0;

	if (class == INSN_LDX)
		return mode == 0x80 ? 4 : 1;
	if (class == INSN_ALU || class == INSN_ALU64)
		return i->off || i->code == 0xd7 ? 4 : 1;
	if (class == INSN_JMP32)
		return op == 0 ? 4 : 3;
	return class == INSN_JMP && op >= 0xa0 && op <= 0xd0 ? 2 : 1;
}

static void isa_need(struct gather *g, const struct insn *i, const char *optional)
{
	static const char *const words[] = { "v2_isa_extension", "v3_isa_extension", "v4_isa_extension" };
	static const char *const names[] = { "instruction set v2", "instruction set v3", "instruction set v4" };
	const unsigned v = version_of(i), class = i->code & 7;
	const bool by_offset = (class == INSN_ALU || class == INSN_ALU64) && i->code != 0xd7;
	struct needed *n;

	/* The kernel checks all opcodes before it looks for code that is not reached. */
	if (v > 1)
		if ((n = gather_add(g, NEEDED_FEATURE, names[v - 2], NULL, by_offset ? optional : g->optional)))
			n->state = kernel_misc(g->k, words[v - 2], &n->why);
}

/* Forms of old opcodes, which are checked with these; helpers that came with them, or later in the same version of
 * Linux, show whether the kernel has them. */
static void form_need(struct gather *g, const struct insn *i, const struct code_ref *t)
{
	static const char older[] = "BPF_FUNC_map_lookup_elem";
	const char *why = NULL;
	enum needed_state state;

	if (i->code == INSN_LDIMM64 && t->kind == CODE_REF_FUNC) {
		state = kernel_enumerator(g->k, "BPF_FUNC_for_each_map_elem", older, &why);
		gather_feature(g, "callback functions", state, why);
	} else if ((i->code & 0xe7) == (0xc0 | INSN_STX) && (i->imm == LOAD_ACQUIRE || i->imm == STORE_RELEASE)) {
		/* 6.15 has them and this function. */
		state = kernel_named(g->k, "bpf_res_spin_lock", BTF_KIND_FUNC, &why);
		gather_feature(g, "load-acquire and store-release", state, why);
	} else if ((i->code & 0xe7) == (0xc0 | INSN_STX) && i->imm) {
		state = kernel_enumerator(g->k, "BPF_FUNC_check_mtu", older, &why);
		gather_feature(g, "atomic operations other than addition", state, why);
	}
}

/* Add the needs of one function, and the functions that it calls to @list. */
static void func_needs(struct gather *g, uint32_t index, uint32_t *list, uint32_t *n)
{
	const struct object_func *f = &g->o->funcs[index];
	const struct elf_sect *s = &g->o->elf.sects[f->section];
	const bool *reached = func_reached(g, index);
	const char *why = NULL;
	struct insn i;

	for (uint64_t at = 0; at < f->size; at += (uint64_t)i.slots * INSN_SIZE) {
		const uint64_t off = f->off + at;
		const bool runs = reached[at / INSN_SIZE];
		const char *optional = g->optional ? g->optional : runs ? NULL : unreached;
		const struct ext_part part = object_ext(g->o, EXT_CORE, f->section, off, INSN_SIZE);
		const struct code_ref t = object_code_ref(g->o, f->section, off);

		insn_decode(&i, s->p + off, (f->size - at) / INSN_SIZE, g->o->elf.big);
		if (part.n)
			core_need(g, f->section, &part, optional);
		if (i.code == INSN_CALL)
			call_need(g, &i, &t, f == g->prog->func, optional);
		isa_need(g, &i, optional);
		form_need(g, &i, &t);
		if (runs && t.kind == CODE_REF_FUNC && !g->visited[t.func - g->o->funcs]) {
			g->visited[t.func - g->o->funcs] = true;
			list[(*n)++] = (uint32_t)(t.func - g->o->funcs);
		}
	}
	if (g->loops[index]) {
		const enum needed_state state = kernel_misc(g->k, "bounded_loops", &why);

		gather_feature(g, "loops", state, why);
	}
}

void gather_code(struct gather *g)
{
	uint32_t *list = arena_array(g->arena, g->o->nfuncs, sizeof(*list)), n = 1;

	memset(g->visited, 0, g->o->nfuncs * sizeof(*g->visited));
	list[0] = (uint32_t)(g->prog->func - g->o->funcs);
	g->visited[list[0]] = true;
	for (uint32_t i = 0; i < n; i++)
		func_needs(g, list[i], list, &n);
}
