/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/stacks.h"

#include "cli/env.h"
#include "prog/samples/code_at.h"
#include "code/names.h"
#include "code/info.h"
#include "source/info.h"
#include "source/codes.h"
#include "source/facts.h"
#include "source/keys.h"
#include "source/file/perf.h"
#include "source/samples.h"

#define NEAR 0x10000 /* functions are shorter: an address farther from a symbol is not in it */

void stack_names_init(struct stack_names *n, struct env *env, const struct code_index *index)
{
	*n = (struct stack_names){ .env = env,
				   .index = index,
				   .made = arena_array(env->keep, index->nplaces, sizeof(*n->made)) };
}

static const char *symbol_make(struct stack_names *n, const struct code_place *p)
{
	struct env *env = n->env;
	struct abi_prog_info info;
	struct info_array tags = { 0 };
	struct code_info src = { 0 };

	if (p->code)
		return p->code->name;
	if (prog_info(env->machine, env->arena, p->prog, &info, &(struct err){ 0 }))
		return arena_fmt(env->keep, "bpf_prog_%u", p->prog);
	if (p->func)
		tags = info_array_read(env, p->prog, Q_PROG_PROG_TAGS, info.nr_prog_tags, sizeof(info.tag),
				       sizeof(info.tag));
	if (info.btf_id && info.nr_func_info)
		code_info_read(env, p->prog, &info, &src);
	return code_name_make(env->keep, p->func < tags.n ? tags.p + p->func * tags.size : NULL, &info, &src, p->func);
}

const char *stack_code_name(struct stack_names *n, const struct code_place *p)
{
	const char **made = &n->made[p - n->index->place];
	ARENA_SCOPE(n->env->arena);

	if (!*made)
		*made = symbol_make(n, p);
	return *made;
}

struct stack_symbol stack_name(struct stack_names *n, uint64_t addr, uint64_t time)
{
	const struct code_place *p = code_at(n->index, addr, time);
	const struct symbol *s;
	const char *name;
	uint64_t off;

	if (p) {
		name = stack_code_name(n, p);
		return (struct stack_symbol){ name, addr - p->addr, name };
	}
	name = source_perf_symbol(n->env->machine->src, addr, &off);
	if (name)
		return (struct stack_symbol){ name, off, name };
	s = symbols_find(facts_symbols(n->env->machine), addr);
	/* The symbol table is from the end of the recording, so its programs are in the index. */
	if (!s || addr - s->addr >= NEAR ||
	    (s->module && !strcmp(s->module, "bpf") && str_starts(s->name, "bpf_prog_")))
		return (struct stack_symbol){ 0 };
	return (struct stack_symbol){ s->name, addr - s->addr, s->module };
}

struct folding {
	struct stack_names *names;
	struct samples_tasks tasks;
	struct keys keys;
	struct stack_counts *counts;
	struct str line;
};

/* Semicolons separate frames, and the last blank is before the count. */
static void folded_frame_put(struct str *s, const char *text)
{
	for (; *text; text++)
		str_add(s, *text == ';' || *text == '\n' ? ":" : text, 1);
}

static void frame_fold(struct folding *f, uint64_t addr, uint64_t time)
{
	const struct stack_symbol s = stack_name(f->names, addr, time);

	str_puts(&f->line, ";");
	folded_frame_put(&f->line, s.name ? s.name : "[unknown]");
}

static void fold(void *ctx, const struct sample *s)
{
	struct folding *f = ctx;
	const char *comm = samples_comm(&f->tasks, s->tid);
	struct stack_counts *c = f->counts;
	struct stack_count *one;
	void **slot;

	str_reset(&f->line);
	folded_frame_put(&f->line, comm ? comm : "[unknown]");
	/* A return address is after the call, maybe in the next function. */
	for (size_t i = s->ncallers; i-- > 0;)
		frame_fold(f, s->callers[i] - 1, s->time);
	if (s->user)
		str_puts(&f->line, ";[user]");
	else
		frame_fold(f, s->ip, s->time);
	slot = keys_put(&f->keys, f->line.p);
	if (!slot)
		return;
	if (!*slot) {
		one = arena_alloc(f->names->env->keep, sizeof(*one));
		one->stack = arena_str(f->names->env->keep, f->line.p, f->line.n);
		c->all = array_more(c->all, c->n, &c->cap, sizeof(struct stack_count *));
		c->all[c->n++] = *slot = one;
	}
	((struct stack_count *)*slot)->count++;
}

/* A semicolon is before all other characters, else "a;b.cold" would be between "a;b" and "a;b;c". */
static int by_stack(const void *pa, const void *pb)
{
	const unsigned char *a = (const unsigned char *)(*(struct stack_count *const *)pa)->stack;
	const unsigned char *b = (const unsigned char *)(*(struct stack_count *const *)pb)->stack;

	while (*a && *a == *b)
		a++, b++;
	if (*a && *b && (*a == ';' || *b == ';'))
		return (*b == ';') - (*a == ';');
	return *a - *b;
}

int stacks_count(struct stack_names *n, struct stack_counts *ret)
{
	struct env *env = n->env;
	struct folding f = { .names = n, .counts = ret };
	int err = samples_read_tasks(env->machine, env->keep, &f.tasks), read;

	keys_init(&f.keys, env->keep);
	read = samples_read(env->machine, env->arena, fold, &f);
	if (ret->n)
		qsort(ret->all, ret->n, sizeof(struct stack_count *), by_stack);
	str_release(&f.line);
	return err ? err : read;
}

int stacks_put_folded(struct stack_names *n)
{
	struct out *o = n->env->report->out;
	struct stack_counts c = { 0 };
	int err = stacks_count(n, &c);

	for (size_t i = 0; i < c.n; i++) {
		out_text(o, c.all[i]->stack);
		out_fmt(o, " %" PRIu64 "\n", c.all[i]->count);
	}
	free(c.all);
	return err;
}

struct script {
	struct stack_names *names;
	const struct samples_head *how;
	struct samples_tasks tasks;
};

static void frame_print(struct script *c, uint64_t addr, uint64_t at, uint64_t time)
{
	const struct stack_symbol s = stack_name(c->names, at, time);
	struct out *o = c->names->env->report->out;

	out_fmt(o, "\t%16" PRIx64 " ", addr);
	out_text(o, s.name ? s.name : "[unknown]");
	if (s.name)
		out_fmt(o, "+0x%" PRIx64, s.off + (addr - at));
	out_str(o, " (");
	out_text(o, !s.name ? "[unknown]" : !s.module ? "[kernel.kallsyms]" : s.module);
	out_str(o, ")\n");
}

static void script_print(void *ctx, const struct sample *s)
{
	struct script *c = ctx;
	struct out *o = c->names->env->report->out;
	const char *comm = samples_comm(&c->tasks, s->tid);

	out_text(o, comm ? comm : ":-1");
	out_fmt(o, " %5u/%-5u [%03u] %5" PRIu64 ".%06" PRIu64 ": %s: \n", s->pid, s->tid, s->cpu,
		s->time / NSEC_PER_SEC, s->time % NSEC_PER_SEC / 1000, c->how->event);
	if (s->user)
		out_fmt(o, "\t%16" PRIx64 " [unknown] ([unknown])\n", s->ip);
	else
		frame_print(c, s->ip, s->ip, s->time);
	for (size_t i = 0; i < s->ncallers; i++)
		frame_print(c, s->callers[i], s->callers[i] - 1, s->time);
	out_char(o, '\n');
}

int stacks_perf_script(struct stack_names *n, const struct samples_head *how)
{
	struct env *env = n->env;
	struct script c = { .names = n, .how = how };
	int err = samples_read_tasks(env->machine, env->keep, &c.tasks), read;

	read = samples_read(env->machine, env->arena, script_print, &c);
	return err ? err : read;
}
