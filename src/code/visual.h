/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct insn_heat;
struct xlated;
struct xlated_style;
/*
 * The control flow of a program as a document. visual.c walks over its contents: functions, their nodes, the rows of
 * text in these, and then edges; a writer prints them in one language.
 */
enum { NODE_ENTRY, NODE_EXIT, NODE_FIRST }; /* bpftool's numbers of the two nodes without code; blocks follow */

enum visual_row_kind { ROW_HEAT, ROW_SIGNATURE, ROW_SOURCE, ROW_PLACE, ROW_MORE, ROW_INSN, ROW_OPCODES };
struct visual_row {
	enum visual_row_kind kind;
	bool first;	    /* the first row of its node */
	bool parted;	    /* the first row of an instruction other than the first of the node */
	double percent;	    /* HEAT: of the samples of the program */
	bool most;	    /* HEAT: an upper limit, as the node has lines in common with other nodes */
	const char *refers; /* INSN: what it refers to; NULL: nothing */
	const char *text;   /* SIGNATURE, SOURCE, INSN; PLACE: the file, without its beginning if @cut */
	bool cut;
	size_t insn, start;	    /* INSN: its number, and that of the first of its function */
	size_t more;		    /* MORE: number of instructions that are not shown here */
	unsigned line, col;	    /* PLACE */
	const unsigned char *bytes; /* OPCODES: slots of INSN_SIZE bytes */
	unsigned slots;
};
enum visual_edge {
	EDGE_ALONE,
	EDGE_NEXT,
	EDGE_TAKEN,
	EDGE_HIDDEN /* for the layout only, from entry to exit */
};

struct visual_writer {
	bool titled; /* func() shows the signature, so rows need not */
	void (*start)(struct out *o);
	void (*end)(struct out *o);
	void (*func)(struct out *o, size_t func, const char *signature); /* signature NULL: unknown */
	void (*func_end)(struct out *o);
	void (*terminal)(struct out *o, size_t func, unsigned node); /* NODE_ENTRY, NODE_EXIT */
	void (*node)(struct out *o, size_t func, size_t node);
	void (*row)(struct out *o, const struct visual_row *r);
	void (*node_end)(struct out *o);
	void (*fill)(struct out *o, size_t func, size_t node,
		     const char *color); /* "#rrggbb"; called after node_end() */
	void (*edge)(struct out *o, size_t func, size_t from, size_t to, enum visual_edge kind);
};
/* The text of a row; @put: writes text in the language, @code: an instruction. */
void visual_row_put(struct out *o, const struct visual_row *r, void (*put)(struct out *o, const char *s, bool code));
extern const struct visual_writer visual_dot;	  /* bpftool's document for Graphviz */
extern const struct visual_writer visual_mermaid; /* a flowchart for Mermaid */

/*
 * @collapse: blocks that always follow one another are one node, which shows its source lines, or its first instruction
 * if it has none, and its last instruction. @heat: nodes have their share of the samples, as text and color; NULL:
 * none. @a: scratch memory.
 */
void visual_write(const struct xlated *x, const struct xlated_style *style, bool collapse,
		  const struct visual_writer *writer, const struct insn_heat *heat, struct arena *a, struct out *o);
