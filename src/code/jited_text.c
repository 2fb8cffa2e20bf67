/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/jited.h"

#include "code/rec.h"
#include "code/labels.h"
#include "render/doc.h"

#define BYTES_ROW 16

/* The next instruction of the function, or a row of bytes if there is no disassembler. */
bool jited_next(struct jited_walk *k)
{
	const struct jited_func *f = k->f;

	k->pc += k->insn.size;
	if (k->pc >= f->len)
		return false;
	if (k->style->disasm) {
		disasm_insn(k->style->disasm, f->x->image.p + f->off + k->pc, f->len - k->pc, f->addr + k->pc,
			    &k->insn);
		return true;
	}
	k->insn = (struct disasm_insn){ .size = jited_func_run(f, k->pc, BYTES_ROW) };
	return true;
}

/* Makes the labels of the jump targets in the function, if requested and if there is a disassembler. */
static void labels_read(struct jited_walk *k, struct arena *a, size_t base, struct labels *ret)
{
	struct jited_walk first = { .f = k->f, .style = k->style };

	if (!k->style->labels || !k->style->disasm)
		return;
	labels_init(ret, a, k->f->len, base);
	while (jited_next(&first)) {
		labels_insn(ret, first.pc);
		if (first.insn.has_target)
			labels_jump(ret, first.pc, first.insn.target - k->f->addr);
	}
	labels_done(ret);
	k->labels = ret;
}

void jited_insn_write(const struct jited_walk *k, struct jited_rec *rec, struct doc *d)
{
	doc_record(d, k->style->disasm ? &schema_jited : &schema_jited_bytes, rec);
}

static void func_write(struct jited_func *f, const struct jited_style *style, size_t *labels, struct doc *d)
{
	struct jited_walk k = { .f = f, .style = style };
	ARENA a = arena_new();
	struct labels l = { 0 };
	struct code_margin b = { 0 };
	struct jited_rec rec;
	char label[24];

	labels_read(&k, a, *labels, &l);
	b.margin.labels = k.labels;
	*labels += l.n;
	doc_margin(d, code_margin_put, &b);
	doc_list(d, "insns");
	while (!doc_dead(d) && jited_next(&k)) {
		struct source_line line = jited_func_line(f, k.pc);
		size_t number = k.labels ? labels_at(k.labels, k.pc) : 0;

		jited_rec(&k, &rec);
		b.at = k.pc;
		rec.source = source_rec(&line, style->linum);
		snprintf(label, sizeof(label), "L%zu", number);
		rec.label = number ? label : NULL;
		jited_insn_write(&k, &rec, d);
	}
	doc_end(d);
	doc_margin(d, NULL, NULL);
}

void jited_write(const struct jited *x, const struct jited_style *style, struct doc *d, const char *name)
{
	size_t labels = 0;
	JITED_FUNC f = { .x = x };
	struct func_rec rec;

	doc_list(d, name);
	while (!doc_dead(d) && jited_func_next(&f)) {
		doc_object(d, NULL);
		func_rec(&f, &rec);
		doc_fields(d, &schema_func, &rec);
		func_write(&f, style, &labels, d);
		doc_end(d);
		doc_text(d, "\n");
	}
	doc_end(d);
}
