/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/rec.h"

#include "code/jited.h"
#include "code/xlated.h"
#include "record/field.h"

#define NEAR 0x1000 /* maximum distance of an address from its symbol */

#define FIELD_SOURCE(T, in, at) \
	FIELD(T, in line.text, "src", "source line, if one begins here", .role = ROLE_SOURCE, .plain = "; %", \
	      .line = at), \
		FIELD(T, in line.file, "file", "the file that has the source line, with linum", .plain = " [file:%", \
		      .line = at, .col = 1, FIELD_WHEN(T, in has_linum)), \
		FIELD(T, in line.num, "line_num", "number of the source line, with linum", .plain = " line_num:%", \
		      .line = at, .col = 2, .flags = FIELD_JSON_NZ, FIELD_WHEN(T, in has_linum)), \
		FIELD(T, in line.col, "line_col", "column in the source line, with linum", .plain = " line_col:%]", \
		      .line = at, .col = 3, .flags = FIELD_JSON_NZ, FIELD_WHEN(T, in has_linum))

static const struct field source_fields[] = { FIELD_SOURCE(source_rec, , 0) };
const struct schema schema_source = SCHEMA("source", source_rec, source_fields);

struct source_rec source_rec(const struct source_line *l, bool linum)
{
	return (struct source_rec){ *l, l->text && linum ? AVAIL_YES : AVAIL_NO };
}

void code_margin_put(void *ctx, unsigned line, struct out *o)
{
	struct code_margin *m = ctx;

	if (line == LINE_INSN)
		margin_row(&m->margin, m->at, o);
	else
		margin_gap(&m->margin, o);
}

static const struct field opcodes_fields[] = {
	FIELD_AS(opcodes_rec, code, FT_STR, "code", "operation, a byte", .flags = FIELD_INLINE),
	FIELD(opcodes_rec, src, "src_reg", "source register", .unit = FU_CODE),
	FIELD(opcodes_rec, dst, "dst_reg", "destination register", .unit = FU_CODE),
	FIELD_LIST(opcodes_rec, off, noff, FT_UINT, "off", "bytes of the offset", .unit = FU_BYTE),
	FIELD_LIST(opcodes_rec, imm, nimm, FT_UINT, "imm", "bytes of the constant, of both slots of a wide instruction",
		   .unit = FU_BYTE),
};

/* One line, without the wider gap in the middle of a hex dump. */
static size_t opcodes_text(const void *row, char *buf, size_t size)
{
	const struct opcodes_rec *r = row;
	char text[16 + 3 * 2 * INSN_SIZE];
	int n = snprintf(text, sizeof(text), "      ");

	for (size_t i = 0; i < (size_t)r->slots * INSN_SIZE; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %02x", r->raw[i]);
	return str_snprintf(buf, size, "%s", text);
}
static const struct schema schema_opcodes = SCHEMA("opcodes", opcodes_rec, opcodes_fields, .text = opcodes_text);

/* The function that the instruction calls: "call bpf_ktime_get_ns#5", "call pc+2#bpf_prog_6deef7357e7b4530_sum". */
static bool called_name(const char *text, size_t *ret_at, size_t *ret_n)
{
	static const char call[] = ") call ";
	const char *name = strstr(text, call), *end;

	if (!name)
		return false;
	name += strlen(call);
	if (str_starts(name, "pc+") || str_starts(name, "pc-")) {
		end = name + strcspn(name, "#");
		name = *end ? end + 1 : end;
		end = name + strlen(name);
	} else {
		end = name + strcspn(name, "#");
	}
	*ret_at = (size_t)(name - text);
	*ret_n = (size_t)(end - name);
	return end > name && !str_starts(name, "unknown#") && !str_starts(name, "0x");
}

#define XLATED_FIELDS(...) \
	FIELD(xlated_rec, disasm, "disasm", "the instruction, in the syntax of the verifier", .role = ROLE_NAME, \
	      .painted = called_name, .plain = "%", .line = LINE_INSN, .col = 1, ##__VA_ARGS__), \
		FIELD(xlated_rec, relocation, "relocation", "its CO-RE relocation", .plain = "  ; %", \
		      .line = LINE_INSN, .col = 2), \
		FIELD(xlated_rec, refers, "refers", "the map, variable or function whose address it loads", \
		      .role = ROLE_NAME, .plain = "  ; %", .line = LINE_INSN, .col = 3), \
		FIELD_AS(xlated_rec, target, FT_STR, "jump_target", "label of the target of its jump", \
			 .flags = FIELD_INLINE | FIELD_NOPLAIN, FIELD_WHEN(xlated_rec, has_target)), \
		FIELD_ROWS(xlated_rec, opcodes_row, nopcodes, &schema_opcodes, "opcodes", "its bytes, with opcodes", \
			   .plain = "%", .line = LINE_OPCODES, .flags = FIELD_SINGLE)

static size_t numbered_text(const void *rec, char *buf, size_t size)
{
	const struct xlated_rec *r = rec;

	return str_snprintf(buf, size, "%4" PRIu64 ": %s", r->number, r->disasm);
}

static const struct field xlated_fields[] = {
	FIELD(xlated_rec, proto, "proto", "signature of the function, if one begins here", .role = ROLE_NAME,
	      .plain = "%:", .line = LINE_PROTO),
	FIELD_AS(xlated_rec, label, FT_STR, "label", "label of this instruction, as a target of jumps",
		 .role = ROLE_PLACE, .plain = "%:", .line = LINE_LABEL, .flags = FIELD_INLINE,
		 FIELD_WHEN(xlated_rec, has_label)),
	FIELD_SOURCE(xlated_rec, source., LINE_SOURCE),
	/* bpftool prints instruction numbers in text, but not in JSON. */
	XLATED_FIELDS(.text = numbered_text),
};
static const struct field xlated_alone_fields[] = {
	FIELD(xlated_rec, number, "insn", "number of the instruction; a wide one counts as two",
	      .plain = "%: ", .width = 4, .line = LINE_INSN),
	XLATED_FIELDS(),
};
const struct schema schema_xlated = SCHEMA("instruction", xlated_rec, xlated_fields, .indent = "");
const struct schema schema_xlated_alone = SCHEMA("instruction alone", xlated_rec, xlated_alone_fields, .indent = "");

static void opcodes_rec(const struct xlated_walk *k, struct opcodes_rec *ret)
{
	const unsigned char *p = k->x->image.p + k->i * INSN_SIZE;

	*ret = (struct opcodes_rec){
		.raw = p,
		.off = p + 2,
		.noff = 2,
		.imm = p + 4,
		.nimm = 4 + (k->insn.slots - 1) * INSN_SIZE,
		.src = k->insn.src,
		.dst = k->insn.dst,
		.slots = (uint8_t)k->insn.slots,
	};
	snprintf(ret->code, sizeof(ret->code), "0x%02x", k->insn.code);
}

static size_t label_jumped_to(const struct xlated_walk *k)
{
	int64_t distance;
	enum insn_flow flow = insn_flow(&k->insn, &distance);

	if (flow != FLOW_JUMP && flow != FLOW_BRANCH)
		return 0;
	return labels_at(k->labels, k->i + k->insn.slots + (size_t)distance);
}

static uint8_t label_name(size_t label, char *buf, size_t size)
{
	if (label)
		snprintf(buf, size, "L%zu", label);
	return label ? AVAIL_YES : AVAIL_NO;
}

void xlated_rec(const struct xlated_walk *k, const struct xlated_style *style, bool above, struct xlated_rec *ret)
{
	*ret = (struct xlated_rec){
		.number = k->i,
		.disasm = k->text,
		.relocation = k->x->relocations ? k->x->relocations[k->i] : NULL,
		.refers = k->x->refers ? k->x->refers[k->i] : NULL,
		.nopcodes = style->opcodes,
		.opcodes_row = &ret->opcodes,
	};
	if (style->opcodes)
		opcodes_rec(k, &ret->opcodes);
	if (style->labels)
		ret->has_target = label_name(label_jumped_to(k), ret->target, sizeof(ret->target));
	if (!above)
		return;
	ret->proto = k->signature.n ? k->signature.p : NULL;
	if (style->labels)
		ret->has_label = label_name(labels_at(style->labels, k->i), ret->label, sizeof(ret->label));
	ret->source = source_rec(&k->source, style->linum);
}

#define JITED_FIELDS_ABOVE \
	FIELD(jited_rec, label, "label", "label of this instruction, as a target of jumps", .role = ROLE_PLACE, \
	      .plain = "%:", .line = LINE_LABEL), \
		FIELD_SOURCE(jited_rec, source., LINE_SOURCE), \
		FIELD(jited_rec, pc, "pc", "offset in the function in bytes", .unit = FU_CODE, .plain = "%:\t", \
		      .width = 4, .line = LINE_INSN)
#define JITED_FIELD_BYTES(...) \
	FIELD_LIST(jited_rec, opcodes, nopcodes, FT_UINT, "opcodes", \
		   "its bytes, with opcodes or without a disassembler", .unit = FU_BYTE, \
		   FIELD_WHEN(jited_rec, has_opcodes), ##__VA_ARGS__)

static const struct field jited_fields[] = {
	JITED_FIELDS_ABOVE,
	FIELD(jited_rec, operation, "operation", "mnemonic of the instruction", .flags = FIELD_NOPLAIN),
	FIELD_LIST(jited_rec, operands, noperands, FT_STR, "operands", "its operands; one null for none",
		   .flags = FIELD_NOPLAIN),
	FIELD(jited_rec, disasm, "disasm", "the instruction", .plain = "%", .line = LINE_INSN, .col = 1),
	FIELD_AS(jited_rec, target, FT_STR, "jump_target", "label of the target of its jump",
		 FIELD_WHEN(jited_rec, has_target), .line = LINE_INSN, .col = 2, .flags = FIELD_INLINE | FIELD_NOPLAIN),
	FIELD_AS(jited_rec, symbol, FT_STR, "symbol", "function, or address in this one, that it refers to",
		 .role = ROLE_NAME, .plain = " <%>", .line = LINE_INSN, .col = 2, .flags = FIELD_INLINE | FIELD_ELSE,
		 FIELD_WHEN(jited_rec, has_symbol)),
	JITED_FIELD_BYTES(.plain = "\t% ", .line = LINE_OPCODES),
};
static const struct field jited_bytes_fields[] = { JITED_FIELDS_ABOVE,
						   JITED_FIELD_BYTES(.plain = "%", .line = LINE_INSN, .col = 1) };
const struct schema schema_jited = SCHEMA("instruction of machine code", jited_rec, jited_fields, .indent = "");
const struct schema schema_jited_bytes = SCHEMA("machine code", jited_rec, jited_bytes_fields, .indent = "");

/* The constant in an instruction such as "mov $0xffffffffc0026858,%rsi"; 0: none. */
static uint64_t constant(const char *text)
{
	const char *p = strstr(text, "$0x");

	return p ? strtoull(p + 1, NULL, 16) : 0;
}

/* The symbol at the address in an instruction; false: unknown. */
static bool symbol_find(const struct jited_func *f, const struct disasm_insn *insn, char *buf, size_t size)
{
	const struct symbol *s;

	if (!insn->has_target) {
		s = f->addr ? code_names_at(&f->x->names, constant(insn->text)) : NULL;
		if (!s || s->addr != constant(insn->text))
			return false;
		snprintf(buf, size, "%s", s->name);
		return true;
	}
	if (insn->target - f->addr < f->len) {
		snprintf(buf, size, "+0x%llx", llu(insn->target - f->addr));
		return true;
	}
	s = f->addr ? code_names_at(&f->x->names, insn->target) : NULL;
	if (!s || insn->target - s->addr >= NEAR)
		return false;
	if (insn->target == s->addr)
		snprintf(buf, size, "%s", s->name);
	else
		snprintf(buf, size, "%s+0x%llx", s->name, llu(insn->target - s->addr));
	return true;
}

/*
 * The text of an instruction that jumps to a label: with the label instead of the address, or after the text if it does
 * not contain the address.
 */
static void jump_target_name(const struct disasm_insn *insn, struct jited_rec *r)
{
	char address[24];
	int n = snprintf(address, sizeof(address), "0x%llx", llu(insn->target));
	const char *at = strstr(insn->text, address);

	if (at && num_hex_digit(at[n]) < 0)
		snprintf(r->text, sizeof(r->text), "%.*s%s%s", (int)(at - insn->text), insn->text, r->target, at + n);
	else
		snprintf(r->text, sizeof(r->text), "%s <%s>", insn->text, r->target);
}

/*
 * bpftool's operation and operands: the text split at blanks, commas and parentheses; an operation without operands has
 * one null.
 */
static void words_cut(struct jited_rec *r)
{
	static const char between[] = " \t,()";
	char *p = r->words, *word;

	memcpy(r->words, r->text, sizeof(r->words));
	r->operation = p;
	r->operands = r->operand;
	p += strcspn(p, between);
	while (*p && r->noperands < OPERANDS_MAX) {
		*p++ = '\0';
		p += strspn(p, between);
		word = p;
		p += strcspn(p, between);
		if (p > word)
			r->operand[r->noperands++] = word;
	}
	*p = '\0';
	if (!r->noperands)
		r->noperands = 1;
}

void jited_rec(const struct jited_walk *k, struct jited_rec *ret)
{
	const struct disasm_insn *insn = &k->insn;
	size_t label = k->labels && insn->has_target ? labels_at(k->labels, insn->target - k->f->addr) : 0;
	bool bytes = k->style->opcodes || !k->style->disasm;

	*ret = (struct jited_rec){
		.pc = k->pc,
		.opcodes = k->f->x->image.p + k->f->off + k->pc,
		.nopcodes = (uint32_t)insn->size,
		.has_opcodes = bytes ? AVAIL_YES : AVAIL_NO,
	};
	if (!k->style->disasm)
		return;
	ret->has_target = label_name(label, ret->target, sizeof(ret->target));
	if (label)
		jump_target_name(insn, ret);
	else
		snprintf(ret->text, sizeof(ret->text), "%s", insn->text);
	ret->disasm = ret->text;
	words_cut(ret);
	ret->has_symbol = symbol_find(k->f, insn, ret->symbol, sizeof(ret->symbol)) ? AVAIL_YES : AVAIL_NO;
}

static const struct field func_fields[] = {
	FIELD(func_rec, proto, "proto", "signature of the function, from BTF", .role = ROLE_NAME, .plain = "%:"),
	FIELD(func_rec, name, "name", "its symbol, or its address", .plain = "%:", .line = 1),
	FIELD_AS(func_rec, addr, FT_STR, "start", "its address", .flags = FIELD_INLINE | FIELD_NOPLAIN,
		 FIELD_WHEN(func_rec, has_addr)),
};
const struct schema schema_func = SCHEMA("function", func_rec, func_fields, .indent = "");

void func_rec(const struct jited_func *f, struct func_rec *ret)
{
	*ret = (struct func_rec){
		.proto = f->signature.n ? f->signature.p : NULL,
		.name = f->name ? f->name : "unknown",
		.has_addr = f->addr ? AVAIL_YES : AVAIL_NO,
	};
	snprintf(ret->addr, sizeof(ret->addr), "0x%016llx", llu(f->addr));
	if (!f->name && f->addr)
		ret->name = ret->addr;
}
