/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/xlated.h"

#include "base/out.h"
#include "prog/labels.h"
#include "render/jsonw.h"

/* A line without the wider gap that a hex dump has in its middle. */
void xlated_opcodes_plain(const struct xlated_walk *k, struct out *o)
{
	const unsigned char *p = k->x->image.p + k->i * INSN_SIZE;

	out_str(o, "       ");
	out_hex(o, p, INSN_SIZE);
	if (k->insn.slots > 1) {
		out_char(o, ' ');
		out_hex(o, p + INSN_SIZE, INSN_SIZE);
	}
	out_char(o, '\n');
}

void xlated_plain(const struct xlated *x, const struct xlated_style *style, struct out *o)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };
	struct margin m = { .labels = style->labels };
	size_t label;

	while (!out_dead(o) && xlated_next(&k)) {
		if (k.signature.n) {
			margin_gap(&m, o);
			out_text(o, k.signature.p);
			out_str(o, ":\n");
		}
		label = style->labels ? labels_at(style->labels, k.i) : 0;
		if (label) {
			margin_gap(&m, o);
			out_fmt(o, "L%zu:\n", label);
		}
		if (k.source.text) {
			margin_gap(&m, o);
			source_line_plain(o, &k.source, style->linum);
		}
		margin_row(&m, k.i, o);
		out_fmt(o, "%4zu: ", k.i);
		out_text(o, k.text);
		if (x->relocations && x->relocations[k.i]) {
			out_str(o, "  ; ");
			out_text(o, x->relocations[k.i]);
		}
		out_char(o, '\n');
		if (style->opcodes) {
			margin_gap(&m, o);
			xlated_opcodes_plain(&k, o);
		}
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

static void json_target(struct jsonw *w, const struct xlated_walk *k)
{
	int64_t distance;
	enum insn_flow flow = insn_flow(&k->insn, &distance);
	size_t label = flow == FLOW_JUMP || flow == FLOW_BRANCH ?
		labels_at(k->labels, k->i + k->insn.slots + (size_t)distance) : 0;

	if (!label)
		return;
	jsonw_name(w, "target");
	jsonw_fmt(w, "L%zu", label);
}

void xlated_insn_json(const struct xlated_walk *k, const struct xlated_style *style, struct jsonw *w)
{
	jsonw_name(w, "disasm");
	jsonw_str(w, k->text);
	if (k->x->relocations && k->x->relocations[k->i]) {
		jsonw_name(w, "relocation");
		jsonw_str(w, k->x->relocations[k->i]);
	}
	if (style->labels)
		json_target(w, k);
	if (style->opcodes)
		json_opcodes(w, k);
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
		if (style->labels && labels_at(style->labels, k.i)) {
			jsonw_name(w, "label");
			jsonw_fmt(w, "L%zu", labels_at(style->labels, k.i));
		}
		if (k.source.text)
			source_line_json(w, &k.source, style->linum);
		xlated_insn_json(&k, style, w);
		jsonw_end(w);
	}
	jsonw_end(w);
}
