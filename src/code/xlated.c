/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/xlated.h"

#include "types/btf.h"
#include "cli/env.h"
#include "code/labels.h"
#include "source/facts.h"
#include "kernel/abi.h"
#include "host/caps.h"
#include "host/elf/symbols.h"

/* A process that may see the lengths may also see the instructions, unless their constants are blinded. */
static int xlated_error(struct env *env, uint32_t id, const struct abi_prog_info *info, struct err *e)
{
	bool may = machine_is_saved(env->machine) || caps_bpf();

	err_set(e, -ENODATA, "program %u: the kernel does not show its instructions%s", id,
		may && info->xlated_prog_len ? ", because their constants are blinded (net.core.bpf_jit_harden)" : "");
	if (!may || !info->xlated_prog_len)
		return err_hint(e, "reading them needs CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN%s",
				machine_is_saved(env->machine) ? ": save again with these" : "");
	return facts_hint_hidden(env->machine, e);
}

int xlated_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct xlated *ret, struct err *e)
{
	struct xlated x = { 0 };
	struct info_array ksyms;
	int err = ask(env->machine, env->arena, &x.image, Q_PROG_XLATED, id);

	if (err == -ENODATA && info->xlated_prog_len)
		return err_set(e, err, "program %u: its instructions are not in this archive", id);
	if (err && err != -ENODATA)
		return err_sys(e, err, "program %u: cannot read its instructions", id);
	x.insns = err ? 0 : x.image.n / INSN_SIZE;
	if (!x.insns)
		return xlated_error(env, id, info, e);
	if (x.image.n < info->xlated_prog_len)
		note_refused(env->machine, -EBADMSG, Q_PROG_XLATED, id);
	x.image.n = x.insns * INSN_SIZE;
	x.big = machine_is_big(env->machine);
	code_info_read(env, id, info, &x.src);
	ksyms = info_array_read(env, id, Q_PROG_JITED_KSYMS, info->nr_jited_ksyms, sizeof(uint64_t), sizeof(uint64_t));
	x.ksyms = ksyms.p;
	x.nksyms = ksyms.n;
	code_names_read(env, id, info, &x.src, &x.names);
	*ret = x;
	return 0;
}

/* The name of the symbol that begins at @addr; NULL: none. */
static const char *symbol_at(const struct xlated *x, uint64_t addr)
{
	const struct symbol *s = code_names_at(&x->names, addr);

	return s && s->addr == addr ? s->name : NULL;
}

static bool call_name(const void *ctx, const struct insn *i, char *buf, size_t size)
{
	const struct xlated *x = ctx;
	uint64_t addr;
	const char *name;

	if (i->src == INSN_CALL_SUBPROG) {
		if ((uint32_t)i->imm >= x->nksyms)
			return false;
		memcpy(&addr, x->ksyms + (uint32_t)i->imm * sizeof(addr), sizeof(addr));
		name = symbol_at(x, addr);
		if (name)
			snprintf(buf, size, "%+d#%s", i->off, name);
		else
			snprintf(buf, size, "%+d#0x%llx", i->off, llu(addr));
		return true;
	}
	addr = (x->names.machine ? facts_call_base(x->names.machine) : 0) + (uint64_t)(int64_t)i->imm;
	name = symbol_at(x, addr);
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "0x%llx", llu(addr));
	return true;
}

static void walk_func(struct xlated_walk *k)
{
	const struct code_info *s = &k->x->src;

	str_reset(&k->signature);
	for (; k->func < s->funcs.n; k->func++) {
		struct func_record f = code_info_func(s, k->func);

		if (f.insn_off > k->i)
			break;
		str_reset(&k->signature);
		if (f.insn_off == k->i)
			btf_signature(s->btf, f.type_id, &k->signature);
	}
}

static void walk_line(struct xlated_walk *k)
{
	const struct code_info *s = &k->x->src;

	k->source.text = NULL;
	for (; k->line < s->lines.n; k->line++) {
		struct line_record l = code_info_line(s, k->line);

		if (l.insn_off > k->i)
			break;
		k->source = source_line_of(s, &l);
	}
}

void xlated_labels(const struct xlated *x, struct arena *a, struct labels *ret)
{
	struct insn insn;

	labels_init(ret, a, x->insns, 0);
	for (size_t i = 0; i < x->insns; i += insn.slots) {
		int64_t distance;
		enum insn_flow flow;

		insn_decode(&insn, x->image.p + i * INSN_SIZE, x->insns - i, x->big);
		labels_insn(ret, i);
		flow = insn_flow(&insn, &distance);
		if (flow == FLOW_JUMP || flow == FLOW_BRANCH)
			labels_jump(ret, i, i + insn.slots + (size_t)distance);
	}
	labels_done(ret);
}

static bool label_name(const void *ctx, const struct insn *i, int64_t distance, char *buf, size_t size)
{
	const struct xlated_walk *k = ctx;
	size_t label = labels_at(k->labels, k->i + i->slots + (size_t)distance);

	if (label)
		snprintf(buf, size, "L%zu", label);
	return label;
}

bool xlated_next(struct xlated_walk *k)
{
	const size_t at = k->i + k->insn.slots;
	const struct insn_names names = {
		.call = call_name,
		.ctx = k->x,
		.jump = k->labels ? label_name : NULL,
		.jump_ctx = k,
		.target = k->x->targets && at < k->x->insns ? k->x->targets[at] : NULL,
	};

	k->i = at;
	if (k->i >= k->x->insns)
		return false;
	insn_decode(&k->insn, k->x->image.p + k->i * INSN_SIZE, k->x->insns - k->i, k->x->big);
	insn_text(&k->insn, &names, k->text, sizeof(k->text));
	walk_func(k);
	walk_line(k);
	return true;
}

static uint32_t record_off(const struct info_array *r, size_t record)
{
	uint32_t off;

	memcpy(&off, r->p + record * r->size, sizeof(off));
	return off;
}

/* The first record that is not before instruction @i; records are ascending. */
static size_t record_from(const struct info_array *r, size_t i)
{
	return ARRAY_LOWER(r->n, record, record_off(r, record) < i);
}

bool xlated_seek(struct xlated_walk *k, size_t i)
{
	k->i = i;
	k->insn.slots = 0;
	k->func = record_from(&k->x->src.funcs, i);
	k->line = record_from(&k->x->src.lines, i);
	return xlated_next(k);
}

struct source_line xlated_source(const struct xlated_walk *k)
{
	const struct code_info *s = &k->x->src;
	const size_t lines = record_from(&s->lines, k->i + 1), funcs = record_from(&s->funcs, k->i + 1);
	struct line_record l;

	if (!lines)
		return (struct source_line){ 0 };
	l = code_info_line(s, lines - 1);
	if (funcs && l.insn_off < code_info_func(s, funcs - 1).insn_off)
		return (struct source_line){ 0 };
	return source_line_of(s, &l);
}

void xlated_walk_end(struct xlated_walk *k)
{
	str_release(&k->signature);
}
