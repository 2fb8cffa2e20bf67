/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/jited.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "base/out.h"
#include "prog/labels.h"
#include "render/jsonw.h"
#include "source/facts.h"

#define BYTES_ROW 16
#define NEAR 0x1000		/* how far behind a symbol an address is still said to belong to it */

/* The next instruction of the function, or a row of bytes if there is no disassembler. */
bool jited_next(struct jited_walk *k)
{
	const struct jited_func *f = k->f;
	const unsigned char *p;

	k->pc += k->insn.size;
	if (k->pc >= f->len)
		return false;
	p = f->x->image.p + f->off + k->pc;
	if (k->style->disasm) {
		disasm_insn(k->style->disasm, p, f->len - k->pc, f->addr + k->pc, &k->insn);
		return true;
	}
	memset(&k->insn, 0, sizeof(k->insn));
	k->insn.size = jited_func_run(f, k->pc, BYTES_ROW);
	for (size_t i = 0; i < k->insn.size; i++)
		snprintf(k->insn.text + 3 * i, 4, i + 1 < k->insn.size ? "%02x " : "%02x", p[i]);
	return true;
}

/* The places in the function that its instructions name, if somebody wants to know, and can. */
static void labels_read(struct jited_walk *k, size_t base, struct labels *ret)
{
	struct jited_walk first = { .f = k->f, .style = k->style };

	if (!k->style->labels || !k->style->disasm)
		return;
	labels_init(ret, k->style->labels, k->f->len, base);
	while (jited_next(&first)) {
		labels_insn(ret, first.pc);
		if (first.insn.has_target)
			labels_jump(ret, first.pc, first.insn.target - k->f->addr);
	}
	labels_done(ret);
	k->labels = ret;
}

/* The name of the place that the instruction leads to; in its text it replaces the address, where that stands there. */
static bool target_label(struct jited_walk *k, char *name, size_t size)
{
	size_t label = k->labels && k->insn.has_target ? labels_at(k->labels, k->insn.target - k->f->addr) : 0;
	char address[24], *at, rest[sizeof(k->insn.text)];
	int n;

	if (!label)
		return false;
	snprintf(name, size, "L%zu", label);
	n = snprintf(address, sizeof(address), "0x%llx", (unsigned long long)k->insn.target);
	at = strstr(k->insn.text, address);
	if (!at || isxdigit((unsigned char)at[n]))
		return true;
	snprintf(rest, sizeof(rest), "%s", at + n);
	snprintf(at, sizeof(k->insn.text) - (size_t)(at - k->insn.text), "%s%s", name, rest);
	return true;
}

/* What lies at the address that an instruction names; false: nothing that we know. */
static bool target_name(const struct jited_func *f, const struct disasm_insn *insn, char *buf, size_t size)
{
	const struct symbol *s;

	if (!insn->has_target)
		return false;
	if (insn->target - f->addr < f->len) {
		snprintf(buf, size, "+0x%llx", (unsigned long long)(insn->target - f->addr));
		return true;
	}
	s = f->addr ? facts_symbol(f->x->machine, insn->target) : NULL;
	if (!s || insn->target - s->addr >= NEAR)
		return false;
	if (insn->target == s->addr)
		snprintf(buf, size, "%s", s->name);
	else
		snprintf(buf, size, "%s+0x%llx", s->name, (unsigned long long)(insn->target - s->addr));
	return true;
}

static void name_plain(const struct jited_func *f, struct out *o)
{
	if (f->name)
		out_text(o, f->name);
	else if (f->addr)
		out_fmt(o, "0x%016llx", (unsigned long long)f->addr);
	else
		out_str(o, "unknown");
}

void jited_insn_plain(struct jited_walk *k, struct out *o)
{
	char name[256];
	bool label = target_label(k, name, sizeof(name));

	out_fmt(o, "%4zx:\t", k->pc);
	out_text(o, k->insn.text);
	if (label ? !strstr(k->insn.text, name) : target_name(k->f, &k->insn, name, sizeof(name))) {
		out_str(o, " <");
		out_text(o, name);
		out_char(o, '>');
	}
}

void jited_opcodes_plain(const struct jited_walk *k, struct out *o)
{
	const unsigned char *p = k->f->x->image.p + k->f->off + k->pc;

	out_char(o, '\t');
	for (size_t i = 0; i < k->insn.size; i++) {
		out_bytes(o, num_hex2[p[i]], 2);
		out_char(o, ' ');
	}
	out_char(o, '\n');
}

static void func_plain(struct jited_func *f, const struct jited_style *style, size_t *labels, struct out *o)
{
	struct jited_walk k = { .f = f, .style = style };
	struct labels l = { 0 };
	struct margin m = { 0 };

	labels_read(&k, *labels, &l);
	m.labels = k.labels;
	*labels += l.n;
	while (!out_dead(o) && jited_next(&k)) {
		struct source_line line = jited_func_line(f, k.pc);
		size_t label = k.labels ? labels_at(k.labels, k.pc) : 0;

		if (label) {
			margin_gap(&m, o);
			out_fmt(o, "L%zu:\n", label);
		}
		if (line.text) {
			margin_gap(&m, o);
			source_line_plain(o, &line, style->linum);
		}
		margin_row(&m, k.pc, o);
		jited_insn_plain(&k, o);
		out_char(o, '\n');
		if (!style->opcodes || !style->disasm)
			continue;
		margin_gap(&m, o);
		jited_opcodes_plain(&k, o);
	}
}

void jited_head_plain(const struct jited_func *f, struct out *o)
{
	if (f->signature.n) {
		out_text(o, f->signature.p);
		out_str(o, ":\n");
	}
	name_plain(f, o);
	out_str(o, ":\n");
}

void jited_plain(const struct jited *x, const struct jited_style *style, struct out *o)
{
	size_t labels = 0, mark = style->labels ? arena_mark(style->labels) : 0;
	JITED_FUNC f = { .x = x };

	while (!out_dead(o) && jited_func_next(&f)) {
		jited_head_plain(&f, o);
		func_plain(&f, style, &labels, o);
		out_char(o, '\n');
		if (style->labels)
			arena_rewind(style->labels, mark);
	}
}

/* bpftool's operation and operands: the text cut at blanks, commas and parentheses; an operation alone has one null. */
static void words_json(struct jsonw *w, const char *text)
{
	static const char between[] = " \t,()";
	size_t n = strcspn(text, between), words = 0;

	jsonw_name(w, "operation");
	jsonw_strn(w, text, n);
	jsonw_name(w, "operands");
	jsonw_array(w);
	for (text += n; *(text += strspn(text, between)); text += n) {
		n = strcspn(text, between);
		jsonw_strn(w, text, n);
		words++;
	}
	if (!words)
		jsonw_null(w);
	jsonw_end(w);
}

void jited_insn_json(struct jited_walk *k, struct jsonw *w)
{
	char name[256];
	bool label = target_label(k, name, sizeof(name));

	jsonw_name(w, "pc");
	jsonw_fmt(w, "0x%zx", k->pc);
	if (k->style->disasm) {
		words_json(w, k->insn.text);
		jsonw_name(w, "disasm");
		jsonw_str(w, k->insn.text);
		if (label) {
			jsonw_name(w, "target");
			jsonw_str(w, name);
		}
		if (target_name(k->f, &k->insn, name, sizeof(name))) {
			jsonw_name(w, "symbol");
			jsonw_str(w, name);
		}
	}
	if (!k->style->opcodes && k->style->disasm)
		return;
	jsonw_name(w, "opcodes");
	jsonw_hexbytes(w, k->f->x->image.p + k->f->off + k->pc, k->insn.size);
}

void jited_head_json(const struct jited_func *f, struct jsonw *w)
{
	if (f->signature.n) {
		jsonw_name(w, "proto");
		jsonw_str(w, f->signature.p);
	}
	jsonw_name(w, "name");
	if (f->name)
		jsonw_str(w, f->name);
	else if (f->addr)
		jsonw_fmt(w, "0x%016llx", (unsigned long long)f->addr);
	else
		jsonw_str(w, "unknown");
	if (!f->addr)
		return;
	jsonw_name(w, "addr");
	jsonw_fmt(w, "0x%016llx", (unsigned long long)f->addr);
}

static void func_json(struct jited_func *f, const struct jited_style *style, size_t *labels, struct jsonw *w)
{
	struct jited_walk k = { .f = f, .style = style };
	struct labels l = { 0 };

	labels_read(&k, *labels, &l);
	*labels += l.n;
	jited_head_json(f, w);
	jsonw_name(w, "insns");
	jsonw_array(w);
	while (!out_dead(w->out) && jited_next(&k)) {
		struct source_line line = jited_func_line(f, k.pc);
		size_t label = k.labels ? labels_at(k.labels, k.pc) : 0;

		jsonw_object(w);
		if (label) {
			jsonw_name(w, "label");
			jsonw_fmt(w, "L%zu", label);
		}
		if (line.text)
			source_line_json(w, &line, style->linum);
		jited_insn_json(&k, w);
		jsonw_end(w);
	}
	jsonw_end(w);
}

void jited_json(const struct jited *x, const struct jited_style *style, struct jsonw *w)
{
	size_t labels = 0, mark = style->labels ? arena_mark(style->labels) : 0;
	JITED_FUNC f = { .x = x };

	jsonw_array(w);
	while (!out_dead(w->out) && jited_func_next(&f)) {
		jsonw_object(w);
		func_json(&f, style, &labels, w);
		jsonw_end(w);
		if (style->labels)
			arena_rewind(style->labels, mark);
	}
	jsonw_end(w);
}
