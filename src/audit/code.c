/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/look.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "kernel/abi.h"
#include "prog/prog.h"
#include "source/facts.h"
#include "source/info.h"

#define LOOKS 6 /* further looks, at code only */

static const char prefix[] = "bpf_prog_";

/* Addresses of the functions of listed programs. */
struct audit_places {
	struct env *env;
	struct hash at; /* program id + 1, by address */
	bool unknown;	/* some addresses could not be read */
};

static size_t addresses(struct env *env, uint32_t id, const struct abi_prog_info *info, struct blob *ret,
			bool *ret_unknown)
{
	int err;

	if (!info->nr_jited_ksyms)
		return 0;
	err = ask(env->machine, env->arena, ret, Q_PROG_JITED_KSYMS, id);
	if (!err && ret->n < info->nr_jited_ksyms * sizeof(uint64_t))
		err = note_refused(env->machine, -EBADMSG, Q_PROG_JITED_KSYMS, id);
	*ret_unknown |= err && err != -ENOENT;
	return err ? 0 : ret->n / sizeof(uint64_t);
}

static uint64_t address(const struct blob *b, size_t i)
{
	uint64_t ret;

	memcpy(&ret, b->p + i * sizeof(ret), sizeof(ret));
	return ret;
}

static void audit_place_add(struct audit_places *p, uint32_t id, const struct abi_prog_info *info)
{
	ARENA_SCOPE(p->env->arena);
	struct blob b;
	size_t n = addresses(p->env, id, info, &b, &p->unknown);

	for (size_t i = 0; i < n; i++)
		*hash_put(&p->at, address(&b, i)) = (void *)(uintptr_t)(id + 1ull);
}

static bool is_code(const struct symbol *s)
{
	return s->module && !strcmp(s->module, "bpf") && str_starts(s->name, prefix);
}

/*
 * Do the symbols include code of programs? bpf_jit_kallsyms can turn them off, and the kernel hides addresses from
 * processes without rights. The setting can be read in the initial network namespace only.
 */
static bool symbols_have_code(struct machine *m)
{
	const struct symbols *symbols = facts_symbols(m);
	const int64_t on = facts_limit(m, "bpf_jit_kallsyms");

	for (size_t i = 0; on < 0 && i < symbols_count(symbols); i++)
		if (is_code(symbols_at(symbols, i)))
			return true;
	return on > 0 && symbols_count(symbols);
}

/* Programs of unprivileged users have no symbols; users can load programs of these types only. */
static bool may_be_nameless(const struct abi_prog_info *info)
{
	return info->type == ABI_PROG_SOCKET_FILTER || info->type == ABI_PROG_CGROUP_SKB;
}

/* The program existed before the symbols were read, and still exists. */
static void lacks_symbol(struct look *l, const struct graph_node *n)
{
	const struct prog_rec *r = n->rec;
	const struct symbols *symbols = facts_symbols(l->env->machine);
	bool unknown = false;
	struct blob b;
	size_t count = addresses(l->env, (uint32_t)n->id, &r->info, &b, &unknown);

	for (size_t i = 0; i < count; i++) {
		const struct symbol *s = symbols_find(symbols, address(&b, i));
		struct finding *f;

		if (!address(&b, i) || (s && s->addr == address(&b, i)))
			continue;
		f = finding_add(l, "hidden", n);
		f->why = "the kernel's symbols do not have its code";
		f->sure = true;
		return;
	}
}

/* Symbols of code that does not belong to a listed program. */
static void orphans_add(struct look *l, const struct audit_places *p)
{
	const struct symbols *symbols = facts_symbols(l->env->machine);

	for (size_t i = 0; !p->unknown && i < symbols_count(symbols); i++) {
		const struct symbol *s = symbols_at(symbols, i);
		struct finding *f;

		if (!is_code(s) || hash_get(&p->at, s->addr))
			continue;
		f = findings_add(&l->code, l->env);
		f->finding = "hidden";
		f->kind = "code";
		f->id = s->addr;
		f->name = s->name;
		f->why = "the code exists, but no program in the list has it";
	}
}

void code_compare(struct look *l)
{
	struct audit_places p = { .env = l->env };

	if (!symbols_have_code(l->env->machine))
		return;
	hash_init(&p.at, l->env->keep);
	for (uint32_t i = 0; i < l->g.nodes; i++) {
		const struct graph_node *n = &l->g.node[i];
		ARENA_SCOPE(l->env->arena);

		if (n->kind != EDGE_PROG || !n->rec)
			continue;
		if (!may_be_nameless(&((const struct prog_rec *)n->rec)->info) &&
		    n->id < l->counted.before[OBJECT_PROG])
			lacks_symbol(l, n);
		audit_place_add(&p, (uint32_t)n->id, &((const struct prog_rec *)n->rec)->info);
	}
	orphans_add(l, &p);
}

/* Another look at code, of which neither notes nor refusals are reported. */
static int code_look(struct env *env, struct look *ret)
{
	struct report unused = { .out = env->report->out };
	struct audit_places p;
	struct err why = { 0 };
	const uint32_t *ids;
	struct env other;
	size_t n;
	int err = env_other(env, "live", &other, &why);

	if (err)
		return err;
	other.report = &unused;
	facts_symbols(other.machine);
	err = select_all(&other, &kind_prog, &ids, &n, &why);
	p = (struct audit_places){ .env = &other };
	hash_init(&p.at, env->keep);
	for (size_t i = 0; !err && i < n; i++) {
		struct abi_prog_info info;
		uint32_t len;

		if (!info_get(other.machine, env->arena, OBJECT_PROG, ids[i], &info, sizeof(info), &len))
			audit_place_add(&p, ids[i], &info);
	}
	*ret = (struct look){ .env = &other };
	if (!err)
		orphans_add(ret, &p);
	ret->env = env;
	report_release(&unused);
	return err;
}

void code_confirm(struct env *env, struct findings *code)
{
	for (unsigned i = 0; i < LOOKS && code->n; i++) {
		ARENA keep = arena_new();
		struct env apart = *env;
		struct look again;

		apart.keep = keep; /* the machine of this look ends with it */
		if (!code_look(&apart, &again))
			findings_keep(code, &again.code);
	}
}
