/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_VISUAL_H
#define PROG_VISUAL_H

#include <stdbool.h>
#include <stddef.h>

struct out;
struct arena;
struct insn_heat;
struct xlated;
struct xlated_style;
/*
 * The control flow of a program as a document. One walk (visual.c) says what there is: functions, in them nodes, in
 * those rows of text, and then edges; a writer knows a language.
 */
enum { NODE_ENTRY, NODE_EXIT, NODE_FIRST }; /* bpftool's numbers of the two nodes that are no code; blocks follow */

enum visual_row_kind { ROW_HEAT, ROW_SIGNATURE, ROW_SOURCE, ROW_PLACE, ROW_MORE, ROW_INSN, ROW_OPCODES };
struct visual_row {
	enum visual_row_kind kind;
	bool first;	    /* of its node */
	bool parted;	    /* the first of an instruction that is not the node's first */
	double percent;	    /* HEAT: of the program's samples */
	bool most;	    /* HEAT: at most; it has lines in common with other nodes */
	const char *refers; /* INSN: what it names; NULL: nothing */
	const char *text;   /* SIGNATURE, SOURCE, INSN; PLACE: the file, without its head if @cut */
	bool cut;
	size_t insn, start;	    /* INSN: its number, and that of its function's first one */
	size_t more;		    /* MORE: instructions that are not shown here */
	unsigned line, col;	    /* PLACE */
	const unsigned char *bytes; /* OPCODES: slots of INSN_SIZE bytes */
	unsigned slots;
};
enum visual_edge { EDGE_ALONE, EDGE_NEXT, EDGE_TAKEN, EDGE_HIDDEN }; /* HIDDEN: for the layout, from entry to exit */

struct visual_writer {
	bool titled; /* func() shows the signature, so that no row has to */
	void (*start)(struct out *o);
	void (*end)(struct out *o);
	void (*func)(struct out *o, size_t func, const char *signature); /* NULL: unknown */
	void (*func_end)(struct out *o);
	void (*terminal)(struct out *o, size_t func, unsigned node); /* NODE_ENTRY, NODE_EXIT */
	void (*node)(struct out *o, size_t func, size_t node);
	void (*row)(struct out *o, const struct visual_row *r);
	void (*node_end)(struct out *o);
	void (*fill)(struct out *o, size_t func, size_t node, const char *color); /* "#rrggbb", behind node_end() */
	void (*edge)(struct out *o, size_t func, size_t from, size_t to, enum visual_edge kind);
};
extern const struct visual_writer visual_dot;	  /* bpftool's document for Graphviz */
extern const struct visual_writer visual_mermaid; /* a flowchart for Mermaid */

/*
 * @collapse: blocks that always follow one another are one node, with its lines of source, or else its first
 * instruction, and the last instruction. @heat: nodes have their part of the samples, in words and as colour; NULL:
 * none. @a: scratch.
 */
void visual_write(const struct xlated *x, const struct xlated_style *style, bool collapse,
		  const struct visual_writer *writer, const struct insn_heat *heat, struct arena *a, struct out *o);

#endif
