/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/xlated.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "btf/btf.h"
#include "cli/env.h"
#include "prog/cfg.h"
#include "prog/insn.h"
#include "render/jsonw.h"
#include "source/facts.h"
#include "system/abi.h"
#include "system/caps.h"
#include "system/symbols.h"

static bool symbols_needed(const struct xlated *x)
{
	struct insn insn;

	for (size_t i = 0; i < x->insns; i += insn.slots) {
		insn_decode(&insn, x->image.p + i * INSN_SIZE, x->insns - i);
		if (insn_needs_symbols(&insn) && (insn.src != INSN_CALL_SUBPROG || x->nksyms))
			return true;
	}
	return false;
}

static void symbols_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct xlated *x)
{
	struct records ksyms = records_read(env, id, "jited_ksyms", info->nr_jited_ksyms, sizeof(uint64_t),
					    sizeof(uint64_t));
	const struct symbol *base;

	x->ksyms = ksyms.p;
	x->nksyms = ksyms.n;
	if (!symbols_needed(x))
		return;
	x->symbols = facts_symbols(env->facts);
	base = symbols_named(x->symbols, "__bpf_call_base");
	x->call_base = base ? base->addr : 0;
}

static int refused(struct env *env, uint32_t id, struct err *e)
{
	err_set(e, -ENODATA, "program %u: the kernel does not show its instructions", id);
	if (!env->opts->from && !caps_bpf() && !caps_admin())
		return err_hint(e, "reading them needs CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN");
	if (facts_limit(env->facts, "kptr_restrict") > 0)
		return err_hint(e, "kernel.kptr_restrict is %d, and the JIT compiler hides constants: kernel.bpf_jit_harden",
				facts_limit(env->facts, "kptr_restrict"));
	return err_hint(e, "reading blinded programs (kernel.bpf_jit_harden) needs CAP_SYSLOG and kernel.kptr_restrict 0");
}

int xlated_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct xlated *ret, struct err *e)
{
	struct xlated x = { 0 };
	int err = source_get(env->src, env->arena, &x.image, "prog/%u/xlated", id);

	if (err == -ENODATA && info->xlated_prog_len)
		return err_set(e, err, "program %u: its instructions are not in this archive", id);
	if (err && err != -ENODATA)
		return err_sys(e, err, "program %u: cannot read its instructions", id);
	x.insns = err ? 0 : x.image.n / INSN_SIZE;
	if (!x.insns)
		return refused(env, id, e);
	x.image.n = x.insns * INSN_SIZE;
	sources_read(env, id, info, &x.src);
	symbols_read(env, id, info, &x);
	*ret = x;
	return 0;
}

/* A symbol's name if one begins exactly there. */
static const char *symbol_at(const struct xlated *x, uint64_t addr)
{
	const struct symbol *s = x->symbols && addr ? symbols_find(x->symbols, addr) : NULL;

	return s && s->addr == addr ? s->name : NULL;
}

static bool call_name(const void *ctx, const struct insn *i, char *buf, size_t size)
{
	const struct xlated *x = ctx;
	uint64_t addr = x->call_base + (uint64_t)(int64_t)i->imm;
	const char *name;

	if (i->src == INSN_CALL_SUBPROG) {
		if ((uint32_t)i->imm >= x->nksyms)
			return false;
		memcpy(&addr, x->ksyms + (uint32_t)i->imm * sizeof(addr), sizeof(addr));
		name = symbol_at(x, addr);
		if (name)
			snprintf(buf, size, "%+d#%s", i->off, name);
		else
			snprintf(buf, size, "%+d#0x%llx", i->off, (unsigned long long)addr);
		return true;
	}
	name = symbol_at(x, addr);
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "0x%llx", (unsigned long long)addr);
	return true;
}

static void walk_func(struct xlated_walk *k)
{
	const struct sources *s = &k->x->src;

	str_reset(&k->signature);
	for (; k->func < s->funcs.n; k->func++) {
		struct func_record f = sources_func(s, k->func);

		if (f.insn_off > k->i)
			break;
		str_reset(&k->signature);
		if (f.insn_off == k->i)
			btf_signature(s->btf, f.type_id, &k->signature);
	}
}

static void walk_line(struct xlated_walk *k)
{
	const struct sources *s = &k->x->src;

	k->source.text = NULL;
	for (; k->line < s->lines.n; k->line++) {
		struct line_record l = sources_line(s, k->line);

		if (l.insn_off > k->i)
			break;
		k->source = source_line_of(s, &l);
	}
}

static bool label_name(const void *ctx, const struct insn *i, int64_t distance, char *buf, size_t size)
{
	const struct xlated_walk *k = ctx;
	int64_t to = (int64_t)k->i + i->slots + distance;
	size_t block = to < 0 ? CFG_NONE : cfg_block_at(k->labels, (size_t)to);

	if (block == CFG_NONE)
		return false;
	snprintf(buf, size, "L%zu", block);
	return true;
}

bool xlated_next(struct xlated_walk *k)
{
	const struct insn_names names = {
		.call = call_name, .ctx = k->x, .jump = k->labels ? label_name : NULL, .jump_ctx = k,
	};

	k->i += k->insn.slots;
	if (k->i >= k->x->insns)
		return false;
	insn_decode(&k->insn, k->x->image.p + k->i * INSN_SIZE, k->x->insns - k->i);
	insn_text(&k->insn, &names, k->text, sizeof(k->text));
	walk_func(k);
	walk_line(k);
	return true;
}

void xlated_walk_end(struct xlated_walk *k)
{
	str_release(&k->signature);
}

/* A line without the wider gap that a hex dump has in its middle. */
static void opcodes_plain(struct out *o, const unsigned char *p, unsigned slots)
{
	out_str(o, "       ");
	out_hex(o, p, INSN_SIZE);
	if (slots > 1) {
		out_char(o, ' ');
		out_hex(o, p + INSN_SIZE, INSN_SIZE);
	}
	out_char(o, '\n');
}

void xlated_plain(const struct xlated *x, const struct xlated_style *style, struct out *o)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };

	while (!out_dead(o) && xlated_next(&k)) {
		if (k.signature.n) {
			out_text(o, k.signature.p);
			out_str(o, ":\n");
		}
		if (style->labels && cfg_is_target(style->labels, k.i))
			out_fmt(o, "L%zu:\n", cfg_block_at(style->labels, k.i));
		if (k.source.text)
			source_line_plain(o, &k.source, style->linum);
		out_fmt(o, "%4zu: ", k.i);
		out_text(o, k.text);
		out_char(o, '\n');
		if (style->opcodes)
			opcodes_plain(o, x->image.p + k.i * INSN_SIZE, k.insn.slots);
	}
}

static void json_bytes(struct jsonw *w, const char *name, const unsigned char *p, size_t n)
{
	jsonw_name(w, name);
	jsonw_hexbytes(w, p, n);
}

static void json_nibble(struct jsonw *w, const char *name, unsigned v)
{
	jsonw_name(w, name);
	jsonw_fmt(w, "0x%x", v);
}

static void json_opcodes(struct jsonw *w, const struct xlated_walk *k)
{
	const unsigned char *p = k->x->image.p + k->i * INSN_SIZE;

	jsonw_name(w, "opcodes");
	jsonw_object(w);
	jsonw_name(w, "code");
	jsonw_fmt(w, "0x%02x", k->insn.code);
	json_nibble(w, "src_reg", k->insn.src);
	json_nibble(w, "dst_reg", k->insn.dst);
	json_bytes(w, "off", p + 2, 2);
	json_bytes(w, "imm", p + 4, 4 + (k->insn.slots - 1) * INSN_SIZE);
	jsonw_end(w);
}

void xlated_json(const struct xlated *x, const struct xlated_style *style, struct jsonw *w)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };

	jsonw_array(w);
	while (xlated_next(&k)) {
		jsonw_object(w);
		if (k.signature.n) {
			jsonw_name(w, "proto");
			jsonw_str(w, k.signature.p);
		}
		if (style->labels && cfg_is_target(style->labels, k.i)) {
			jsonw_name(w, "label");
			jsonw_fmt(w, "L%zu", cfg_block_at(style->labels, k.i));
		}
		if (k.source.text)
			source_line_json(w, &k.source, style->linum);
		jsonw_name(w, "disasm");
		jsonw_str(w, k.text);
		if (style->opcodes)
			json_opcodes(w, &k);
		jsonw_end(w);
	}
	jsonw_end(w);
}
