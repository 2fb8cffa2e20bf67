/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/jited.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/out.h"
#include "prog/disasm.h"
#include "render/jsonw.h"
#include "system/symbols.h"

#define BYTES_ROW 16
#define NEAR 0x1000		/* how far behind a symbol an address is still said to belong to it */

/* The instruction at @pc of a function, or a row of bytes if there is no disassembler. */
static void insn_read(const struct jited_func *f, const struct jited_style *style, size_t pc, struct disasm_insn *ret)
{
	const unsigned char *p = f->x->image.p + f->off + pc;

	if (style->disasm)
		return disasm_insn(style->disasm, p, f->len - pc, f->addr + pc, ret);
	memset(ret, 0, sizeof(*ret));
	ret->size = jited_func_run(f, pc, BYTES_ROW);
	for (size_t i = 0; i < ret->size; i++)
		snprintf(ret->text + 3 * i, 4, i + 1 < ret->size ? "%02x " : "%02x", p[i]);
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
	s = f->addr ? symbols_find(f->x->symbols, insn->target) : NULL;
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

static void insn_plain(const struct jited_func *f, const struct jited_style *style, size_t pc, const struct disasm_insn *insn,
		       struct out *o)
{
	const unsigned char *p = f->x->image.p + f->off + pc;
	char name[256];

	out_fmt(o, "%4zx:\t", pc);
	out_text(o, insn->text);
	if (target_name(f, insn, name, sizeof(name))) {
		out_str(o, " <");
		out_text(o, name);
		out_char(o, '>');
	}
	out_char(o, '\n');
	if (!style->opcodes || !style->disasm)
		return;
	out_char(o, '\t');
	for (size_t i = 0; i < insn->size; i++) {
		out_bytes(o, num_hex2[p[i]], 2);
		out_char(o, ' ');
	}
	out_char(o, '\n');
}

void jited_plain(const struct jited *x, const struct jited_style *style, struct out *o)
{
	JITED_FUNC f = { .x = x };
	struct disasm_insn insn;

	while (!out_dead(o) && jited_func_next(&f)) {
		if (f.signature.n) {
			out_text(o, f.signature.p);
			out_str(o, ":\n");
		}
		name_plain(&f, o);
		out_str(o, ":\n");
		for (size_t pc = 0; pc < f.len && !out_dead(o); pc += insn.size) {
			struct source_line line = jited_func_line(&f, pc);

			if (line.text)
				source_line_plain(o, &line, style->linum);
			insn_read(&f, style, pc, &insn);
			insn_plain(&f, style, pc, &insn, o);
		}
		out_char(o, '\n');
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

static void insn_json(const struct jited_func *f, const struct jited_style *style, size_t pc, const struct disasm_insn *insn,
		      struct jsonw *w)
{
	char name[256];

	jsonw_name(w, "pc");
	jsonw_fmt(w, "0x%zx", pc);
	if (style->disasm) {
		words_json(w, insn->text);
		jsonw_name(w, "disasm");
		jsonw_str(w, insn->text);
		if (target_name(f, insn, name, sizeof(name))) {
			jsonw_name(w, "symbol");
			jsonw_str(w, name);
		}
	}
	if (!style->opcodes && style->disasm)
		return;
	jsonw_name(w, "opcodes");
	jsonw_hexbytes(w, f->x->image.p + f->off + pc, insn->size);
}

static void func_json(struct jited_func *f, const struct jited_style *style, struct jsonw *w)
{
	struct disasm_insn insn;

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
	if (f->addr) {
		jsonw_name(w, "addr");
		jsonw_fmt(w, "0x%016llx", (unsigned long long)f->addr);
	}
	jsonw_name(w, "insns");
	jsonw_array(w);
	for (size_t pc = 0; pc < f->len && !out_dead(w->out); pc += insn.size) {
		struct source_line line = jited_func_line(f, pc);

		jsonw_object(w);
		if (line.text)
			source_line_json(w, &line, style->linum);
		insn_read(f, style, pc, &insn);
		insn_json(f, style, pc, &insn, w);
		jsonw_end(w);
	}
	jsonw_end(w);
}

void jited_json(const struct jited *x, const struct jited_style *style, struct jsonw *w)
{
	JITED_FUNC f = { .x = x };

	jsonw_array(w);
	while (!out_dead(w->out) && jited_func_next(&f)) {
		jsonw_object(w);
		func_json(&f, style, w);
		jsonw_end(w);
	}
	jsonw_end(w);
}
