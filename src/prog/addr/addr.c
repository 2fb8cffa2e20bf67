/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/addr/addr.h"

#include "types/btf.h"
#include "cli/select.h"
#include "prog/addr/code.h"
#include "code/disasm.h"
#include "code/jited.h"
#include "code/info.h"
#include "prog/addr/trace.h"
#include "source/info.h"
#include "record/field.h"
#include "source/codes.h"
#include "source/facts.h"
#include "source/lives.h"
#include "kernel/names.h"
#include "host/elf/symbols.h"

#define KERNEL_NAME_MAX (sizeof(((struct abi_prog_info *)0)->name) - 1)
#define SYMBOL_NEAR 0x10000 /* functions are shorter: an address farther from a symbol is not in it */
#define FUNCS_MAX 512	    /* more than any kernel allows; a greater count is not believed if addresses are hidden */

struct addr_prog {
	uint32_t id, nfuncs, first; /* first: index of its first function, which are in the order of the program */
	bool tagged;		    /* the tags of its functions were read */
	struct abi_prog_info *info;
	struct addr_code *code;	   /* NULL: not read yet, nor are type and names */
	const char *type, **names; /* names of its functions */
};

struct addr_index {
	struct env *env;
	struct addr_prog *progs;
	size_t nprogs;
	struct addr_func *funcs;		    /* by program */
	size_t nfuncs, cap, ntags;		    /* the first ntags are functions of programs */
	const struct addr_func **by_addr, **by_tag; /* by_tag NULL: no symbol was looked up yet */
	size_t nby_addr;
	uint64_t *reach;		/* by index in by_addr: the highest last byte of the functions up to it */
	bool hidden, shown;		/* the address of some function is unknown, known */
	const struct addr_func **found; /* result of the last lookup */
	size_t found_cap;
	struct disasm *disasm;
	int disasm_err; /* 1: not opened yet */
};

static struct addr_func *index_func_add(struct addr_index *x)
{
	ARENA_MORE(x->env->keep, x->funcs, x->nfuncs, x->cap);
	return &x->funcs[x->nfuncs++];
}

/* The address of a program that is not jited is the interpreter's, so it is not read. */
static void prog_funcs_read(struct addr_index *x, uint32_t prog)
{
	struct addr_prog *p = &x->progs[prog];
	const struct abi_prog_info *info = p->info;
	uint32_t count = info->jited_prog_len ? info->nr_jited_ksyms : 0,
		 lens_count = count ? info->nr_jited_func_lens : 0;
	struct info_array ksyms =
		info_array_read(x->env, p->id, Q_PROG_JITED_KSYMS, count, sizeof(uint64_t), sizeof(uint64_t));
	struct info_array lens =
		info_array_read(x->env, p->id, Q_PROG_JITED_FUNC_LENS, lens_count, sizeof(uint32_t), sizeof(uint32_t));
	size_t n = ksyms.n ? ksyms.n : count && count <= FUNCS_MAX ? count : 1;
	const struct life *life = facts_life(x->env->machine, p->id);

	p->first = (uint32_t)x->nfuncs;
	p->nfuncs = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		struct addr_func *f = index_func_add(x);

		*f = (struct addr_func){ .prog = prog,
					 .i = (uint32_t)i,
					 .from = info->load_time,
					 .to = life && life->gone_at ? life->gone_at : UINT64_MAX };
		memcpy(f->tag, info->tag, sizeof(f->tag));
		if (i < ksyms.n)
			memcpy(&f->addr, ksyms.p + i * sizeof(f->addr), sizeof(f->addr));
		if (i < lens.n)
			memcpy(&f->len, lens.p + i * sizeof(f->len), sizeof(f->len));
		else if (n == 1)
			f->len = info->jited_prog_len;
		x->hidden |= info->jited_prog_len && !f->addr;
		x->shown |= f->addr != 0;
	}
}

static void codes_add(struct addr_index *x)
{
	const struct codes *all = facts_codes(x->env->machine);

	x->ntags = x->nfuncs;
	for (size_t i = 0; i < all->n; i++) {
		const struct code *c = &all->code[i];

		*index_func_add(x) = (struct addr_func){ .addr = c->addr,
							 .len = c->len,
							 .code = c,
							 .from = c->from,
							 .to = c->gone_at ? c->gone_at : UINT64_MAX };
	}
}

static int by_func_start(const void *pa, const void *pb)
{
	const struct addr_func *a = *(const struct addr_func *const *)pa, *b = *(const struct addr_func *const *)pb;

	return NUM_CMP(a->addr, b->addr) ?: NUM_CMP(a, b);
}

static int by_tag(const void *pa, const void *pb)
{
	const struct addr_func *a = *(const struct addr_func *const *)pa, *b = *(const struct addr_func *const *)pb;

	return memcmp(a->tag, b->tag, sizeof(a->tag)) ?: NUM_CMP(a, b);
}

static void sort_addr(struct addr_index *x)
{
	x->by_addr = arena_array(x->env->keep, x->nfuncs, sizeof(*x->by_addr));
	for (size_t i = 0; i < x->nfuncs; i++)
		if (x->funcs[i].addr)
			x->by_addr[x->nby_addr++] = &x->funcs[i];
	if (x->nby_addr)
		qsort(x->by_addr, x->nby_addr, sizeof(*x->by_addr), by_func_start);
	x->reach = arena_array(x->env->keep, x->nby_addr, sizeof(*x->reach));
	for (size_t i = 0; i < x->nby_addr; i++) {
		const struct addr_func *f = x->by_addr[i];
		const uint64_t last = f->len ? f->addr + f->len - 1 : f->addr;

		x->reach[i] = last < f->addr ? UINT64_MAX : last;
		if (i && x->reach[i] < x->reach[i - 1])
			x->reach[i] = x->reach[i - 1];
	}
}

static void addr_index_end(void *p)
{
	struct addr_index *x = p;

	disasm_close(&x->disasm);
}

int addr_index_new(struct env *env, struct addr_index **ret, struct err *e)
{
	struct addr_index *x = arena_alloc(env->keep, sizeof(*x));
	struct abi_prog_info info;
	const uint32_t *ids;
	size_t n;
	int err = select_all(env, &kind_prog, &ids, &n, e);

	if (err)
		return err;
	x->env = env;
	x->disasm_err = 1;
	arena_defer(env->keep, addr_index_end, x);
	x->progs = arena_array(env->keep, n, sizeof(*x->progs));
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct err why = { 0 };

		err = prog_info(env->machine, env->arena, ids[i], &info, &why);
		if (!err) {
			x->progs[x->nprogs] = (struct addr_prog){
				.id = ids[i],
				.info = arena_dup(env->keep, &info, sizeof(info)),
			};
			prog_funcs_read(x, (uint32_t)x->nprogs++);
		} else if (err != -ENOENT) {
			report_unread(env->report, &why);
		}
	}
	codes_add(x);
	sort_addr(x);
	*ret = x;
	return 0;
}

int addr_not_found(const struct addr_index *x, struct err *e, const char *fmt, ...)
{
	char text[TRACE_TEXT_MAX + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(e, -ENOENT, "%s", text);
	if (x->hidden && !x->shown)
		err_hint(
			e,
			"the kernel hides the addresses of programs (kernel.kptr_restrict): run as root, or give bpf_prog_TAG_NAME");
	return -ENOENT;
}

uint32_t addr_prog_id(const struct addr_index *x, const struct addr_func *f)
{
	return x->progs[f->prog].id;
}

static void found_room(struct addr_index *x, size_t n)
{
	if (n <= x->found_cap)
		return;
	x->found_cap = n;
	x->found = arena_array(x->env->keep, n, sizeof(*x->found));
}

/*
 * Functions at one address existed one after another, so the times of unloading order them. Load times do not: the
 * kernel takes them before verification.
 */
static int by_life(const void *pa, const void *pb)
{
	const struct addr_func *a = *(const struct addr_func *const *)pa, *b = *(const struct addr_func *const *)pb;

	return NUM_CMP(a->to, b->to) ?: NUM_CMP(a->from, b->from) ?: NUM_CMP(a, b);
}

/*
 * The kernel reports each function of a struct_ops table with the size of the page that they share, so a function ends
 * where the next one begins.
 */
static bool is_overlapped(const struct addr_func *f, const struct addr_func *const *found, size_t n)
{
	for (size_t i = 0; f->code && i < n; i++)
		if (found[i]->code && found[i]->addr > f->addr && found[i]->from <= f->to && f->from <= found[i]->to)
			return true;
	return false;
}

static size_t func_before(struct addr_index *x, uint64_t addr)
{
	const size_t end = ARRAY_LOWER(x->nby_addr, i, x->by_addr[i]->addr <= addr);
	size_t first = end, n = 0;

	while (first && x->reach[first - 1] >= addr)
		first--;
	found_room(x, end - first);
	/* Backwards, because is_overlapped() compares with the functions found after this one. */
	for (size_t i = end; i-- > first;) {
		const struct addr_func *f = x->by_addr[i];

		if (addr - f->addr < f->len && !is_overlapped(f, x->found, n))
			x->found[n++] = f;
	}
	if (n)
		qsort(x->found, n, sizeof(*x->found), by_life);
	return n;
}

/* Functions after the first have their own tags. */
static void tags_read(struct addr_index *x, struct addr_prog *p)
{
	ARENA_SCOPE(x->env->arena);
	struct info_array tags = { 0 };

	if (p->nfuncs > 1 && !p->tagged)
		tags = info_array_read(x->env, p->id, Q_PROG_PROG_TAGS, p->info->nr_prog_tags, 8, 8);
	for (size_t i = 1; i < tags.n && i < p->nfuncs; i++)
		memcpy(x->funcs[p->first + i].tag, tags.p + i * 8, 8);
	p->tagged = true;
}

static void sort_tags(struct addr_index *x)
{
	for (size_t i = 0; i < x->nprogs; i++)
		tags_read(x, &x->progs[i]);
	x->by_tag = arena_array(x->env->keep, x->ntags, sizeof(*x->by_tag));
	for (size_t i = 0; i < x->ntags; i++)
		x->by_tag[i] = &x->funcs[i];
	if (x->ntags)
		qsort(x->by_tag, x->ntags, sizeof(*x->by_tag), by_tag);
}

/*
 * As bpf_get_prog_name(): the name of the function from BTF; without it, the first function has the name of the
 * program, and the others are named F.
 */
static const char *func_name_read(struct addr_index *x, const struct addr_prog *p, uint32_t i)
{
	const char *name = addr_code_func(p->code, i), *kernel = p->info->name;

	if (name)
		return name;
	return i ? "F" : arena_str(x->env->keep, kernel, strnlen(kernel, KERNEL_NAME_MAX));
}

static struct addr_prog *prog_of(struct addr_index *x, const struct addr_func *f)
{
	struct addr_prog *p = &x->progs[f->prog];

	if (p->code)
		return p;
	tags_read(x, p);
	p->code = addr_code_new(x->env, p->id, p->info);
	p->type = btf_word(x->env->machine, &names_prog_type, p->info->type);
	p->names = arena_array(x->env->keep, p->nfuncs, sizeof(*p->names));
	for (uint32_t i = 0; i < p->nfuncs; i++)
		p->names[i] = func_name_read(x, p, i);
	return p;
}

/* Without BTF, only the first 15 bytes of the program's name are known, and only the tags of the other functions. */
static bool name_fits(struct addr_index *x, const struct addr_func *f, const char *asked)
{
	const struct addr_prog *p = prog_of(x, f);
	const char *name = p->names[f->i];

	if (!*asked || !strcmp(asked, name))
		return true;
	return !addr_code_func(p->code, f->i) &&
	       (f->i || (strlen(name) == KERNEL_NAME_MAX && !strncmp(asked, name, KERNEL_NAME_MAX)));
}

static size_t tag_first(const struct addr_index *x, const unsigned char *tag)
{
	return ARRAY_LOWER(x->ntags, i, memcmp(x->by_tag[i]->tag, tag, sizeof(x->by_tag[i]->tag)) < 0);
}

static size_t find_named(struct addr_index *x, const struct trace_frame *f)
{
	uint64_t last = f->off && f->how != TRACE_PC ? f->off - 1 : f->off;
	size_t first, end, n = 0, sized = 0;

	if (!x->by_tag)
		sort_tags(x);
	first = end = tag_first(x, f->tag);
	while (end < x->ntags && !memcmp(x->by_tag[end]->tag, f->tag, sizeof(f->tag)))
		end++;
	found_room(x, end - first);
	for (size_t i = first; i < end; i++) {
		const struct addr_func *func = x->by_tag[i];

		if ((func->len && last >= func->len) || !name_fits(x, func, f->name))
			continue;
		x->found[n++] = func;
		sized += f->size && func->len == f->size;
	}
	for (size_t i = 0, kept = 0; sized && i < n; i++)
		if (x->found[i]->len == f->size)
			x->found[kept++] = x->found[i];
	return sized ? sized : n;
}

size_t addr_resolve(struct addr_index *x, const struct trace_frame *f, const struct addr_func *const **ret)
{
	size_t n = 0;

	if (f->symbol)
		n = find_named(x, f);
	/*
	 * The call may be the last instruction of a function. If there is no code before an address, it is not a return
	 * address.
	 */
	else if (f->how != TRACE_PC)
		n = func_before(x, f->addr - 1);
	if (!n && !f->symbol)
		n = func_before(x, f->addr);
	*ret = x->found;
	return n;
}

uint64_t addr_off(const struct addr_func *func, const struct trace_frame *f)
{
	return f->symbol ? f->off : f->addr - func->addr;
}

/* Tried once per command; without a disassembler, instructions have no text. */
static bool disasm_ready(struct addr_index *x)
{
	if (x->disasm_err > 0)
		x->disasm_err = disasm_open(&x->disasm, jited_machine(x->env), NULL);
	return !x->disasm_err;
}

static void addr_text(struct addr_rec *r, uint64_t addr)
{
	snprintf(r->address, sizeof(r->address), "0x%016llx", llu(addr));
}

static void line_describe(struct addr_code *c, const struct addr_func *f, uint64_t off, struct addr_rec *ret)
{
	const struct addr_line *l = addr_code_line(c, f->i, off);

	ret->has_line = l ? AVAIL_YES : addr_code_is_unplaced(c) ? AVAIL_UNKNOWN : AVAIL_NO;
	if (!l)
		return;
	ret->insn = l->insn;
	ret->insns = l->insns;
	ret->place = l->place;
	ret->file = l->file;
	ret->src = l->src;
	ret->line_num = l->num;
	ret->line_col = l->col;
}

/* As in the kernel's symbol table while the code is there. */
static void code_describe(const struct code *c, struct addr_rec *ret)
{
	ret->kind = ADDR_MODULE;
	ret->prog_id = c->prog;
	ret->name = "bpf";
	ret->func = c->name;
}

static void prog_describe(struct addr_index *x, const struct addr_func *f, const struct addr_want *want,
			  struct addr_rec *ret)
{
	struct addr_prog *p = prog_of(x, f);
	uint64_t at = want->off && want->how != TRACE_PC ? want->off - 1 : want->off;

	ret->kind = ADDR_PROG;
	ret->prog_id = p->id;
	ret->type = p->type;
	ret->name = p->names[0];
	ret->func = p->names[f->i];
	memcpy(ret->tag, f->tag, sizeof(ret->tag));
	ret->has_tag = AVAIL_YES;
	line_describe(p->code, f, at, ret);
	if (want->disasm && disasm_ready(x) &&
	    addr_code_insn(p->code, x->disasm, f->i, at, &ret->insn_offset, ret->disasm, sizeof(ret->disasm)))
		ret->has_disasm = AVAIL_YES;
}

static void life_describe(struct addr_index *x, const struct addr_func *f, struct addr_rec *ret)
{
	const uint64_t boot = facts_boot_ns(x->env->machine);
	const struct life *life = f->code ? NULL : facts_life(x->env->machine, x->progs[f->prog].id);
	const bool gone = f->code ? f->code->gone : life && life->gone;

	ret->has_loaded = boot && f->from ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->loaded_at = (boot + f->from) / NSEC_PER_SEC;
	ret->has_gone = !gone ? AVAIL_NO : boot && f->to != UINT64_MAX ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->gone_at = (boot + f->to) / NSEC_PER_SEC;
}

void addr_describe(struct addr_index *x, const struct addr_func *f, const struct addr_want *want, struct addr_rec *ret)
{
	if (f->code)
		code_describe(f->code, ret);
	else
		prog_describe(x, f, want, ret);
	ret->size = f->len;
	ret->offset = want->off;
	ret->has_offset = AVAIL_YES;
	if (f->addr)
		addr_text(ret, f->addr + want->off);
	if (want->life)
		life_describe(x, f, ret);
}

void addr_describe_other(struct addr_index *x, uint64_t addr, struct addr_rec *ret)
{
	const struct symbol *s;

	ret->kind = ADDR_NONE;
	addr_text(ret, addr);
	s = symbols_find(facts_symbols(x->env->machine), addr);
	/* Symbols have no size. The functions of programs are known exactly, and the address is not in one. */
	if (!s || addr - s->addr >= SYMBOL_NEAR || str_starts(s->name, "bpf_prog_"))
		return;
	ret->kind = s->module ? ADDR_MODULE : ADDR_KERNEL;
	ret->func = s->name;
	ret->name = s->module;
	ret->offset = addr - s->addr;
	ret->has_offset = AVAIL_YES;
}
