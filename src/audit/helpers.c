/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/look.h"

#include "types/btf.h"
#include "cli/env.h"
#include "code/insn.h"
#include "prog/prog.h"
#include "source/facts.h"

#define CALL_KFUNC 2 /* of a CALL: imm is the number of a function in the kernel's types */

/* Calls with effects outside of the program. */
static const struct {
	const char *name, *why;
} dangerous[] = {
	{ "bpf_probe_write_user", "calls bpf_probe_write_user, which writes to the memory of processes" },
	{ "bpf_override_return", "calls bpf_override_return, which overrides the return value of kernel functions" },
	{ "bpf_send_signal", "calls bpf_send_signal, which sends signals to processes" },
	{ "bpf_send_signal_thread", "calls bpf_send_signal_thread, which sends signals to threads" },
	{ "bpf_send_signal_task", "calls bpf_send_signal_task, which sends signals to processes" },
};

struct helper_calls {
	struct look *l;
	bool known;			    /* the addresses of helpers are known */
	int32_t imm[ARRAY_SIZE(dangerous)]; /* of a call of each helper; 0: the kernel does not have the helper */
	const struct btf_types *kernel;	    /* NULL: not read yet, or not available */
	bool asked;
};

static void calls_init(struct helper_calls *c, struct look *l)
{
	const struct symbols *symbols = facts_symbols(l->env->machine);
	const uint64_t base = facts_call_base(l->env->machine);

	*c = (struct helper_calls){ .l = l, .known = base };
	for (size_t i = 0; base && i < ARRAY_SIZE(dangerous); i++) {
		const struct symbol *s = symbols_find_named(symbols, dangerous[i].name);

		c->imm[i] = s ? (int32_t)(s->addr - base) : 0;
	}
}

static const char *kfunc_name(struct helper_calls *c, const struct insn *insn)
{
	if (!c->asked && btf_get_vmlinux(c->l->env->machine, &c->kernel, NULL, NULL))
		c->kernel = NULL;
	c->asked = true;
	return c->kernel && !insn->off && insn->imm > 0 ? btf_name(c->kernel, (uint32_t)insn->imm) : "";
}

/* Bit mask of dangerous[]. */
static unsigned calls_of(struct helper_calls *c, const struct insn *insn, bool *ret_unknown)
{
	unsigned ret = 0;

	if (insn->code != INSN_CALL || (insn->src != INSN_CALL_HELPER && insn->src != CALL_KFUNC))
		return 0;
	*ret_unknown |= insn->src == INSN_CALL_HELPER && !c->known;
	for (unsigned i = 0; i < ARRAY_SIZE(dangerous); i++)
		if (insn->src == CALL_KFUNC ? !strcmp(kfunc_name(c, insn), dangerous[i].name) :
					      c->imm[i] && insn->imm == c->imm[i])
			ret |= 1u << i;
	return ret;
}

static void program_read(struct helper_calls *c, const struct graph_node *n)
{
	struct env *env = c->l->env;
	const struct prog_rec *r = n->rec;
	ARENA_SCOPE(env->arena);
	bool unknown = false;
	unsigned found = 0;
	struct insn insn;
	struct blob b;
	int err = ask(env->machine, env->arena, &b, Q_PROG_XLATED, n->id);

	/* With blinded constants the kernel does not return the instructions. */
	if (!err && b.n < (r->info.xlated_prog_len ? r->info.xlated_prog_len : 1))
		err = note_refused(env->machine, b.n ? -EBADMSG : -EPERM, Q_PROG_XLATED, n->id);
	for (size_t i = 0; !err && i < b.n / INSN_SIZE; i += insn.slots) {
		insn_decode(&insn, b.p + i * INSN_SIZE, b.n / INSN_SIZE - i, machine_is_big(env->machine));
		found |= calls_of(c, &insn, &unknown);
	}
	if (unknown)
		note_refused(env->machine, -EPERM, Q_KALLSYMS);
	for (unsigned i = 0; i < ARRAY_SIZE(dangerous); i++)
		if (found & 1u << i)
			finding_add(c->l, "dangerous", n)->why = dangerous[i].why;
}

void helpers_find(struct look *l)
{
	struct helper_calls c;

	calls_init(&c, l);
	for (uint32_t i = 0; i < l->g.nodes; i++)
		if (l->g.node[i].kind == EDGE_PROG && l->g.node[i].rec)
			program_read(&c, &l->g.node[i]);
}
