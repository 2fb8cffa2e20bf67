/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in json.c and plain.c. */

#include "base/base.h"

struct schema;
struct view;
struct field;
struct value;
struct jsonw;
struct render;
/*
 * Prints records. A renderer sees schema and record; it does not know about BPF objects and never asks the source. A
 * list of records of one schema goes through a struct render; everything else (records with lists in them, lists with
 * headings, records of several schemas) is a document: render/doc.h.
 *
 * The order is begin, section, records, end; end is called on every path, so that the document is complete even if a
 * command fails.
 *
 * JSON: an array of objects, or the bare object if `single`; the caller writes the newline after the document. NDJSON:
 * one object per line, flushed. Plain: bpftool's blocks. Table: columns are measured in a first pass, so it keeps the
 * cells (not the records) until end, and makes them fit a terminal (render/fit.h, field.drop). Rows: the same for a
 * stream, in columns of the width that the fields define; only fields of the fixed part. HTML: a table in which ids are
 * links.
 */
struct render_ops {
	const char *name, *help;
	void (*begin)(struct render *r);
	void (*section)(struct render *r); /* r->schema and r->view were set for another kind of record */
	void (*record)(struct render *r, const void *rec);
	void (*end)(struct render *r);
};
struct render {
	const struct render_ops *ops;
	const struct schema *schema;
	const struct view *view; /* NULL: all fields */
	struct out *out;
	struct jsonw *jw;    /* JSON only */
	struct arena *arena; /* lives until end */
	bool single;	     /* json: the only record is the document */
	bool headings;	     /* table: print the header line */
	/*
	 * table: after this many records of a section the column widths are fixed, and further records are printed at
	 * once; 0: all are kept
	 */
	size_t measure;
	bool one_line;	    /* table: a cell that is too wide is shortened, and not continued on another line */
	bool own;	    /* html: the records are objects, and links with their ids lead to them */
	unsigned skip_need; /* plain, json: leave out fields with one of these needs (pins without -f) */
	uint32_t hide;	    /* plain: leave out fields with one of these field_flags */
	/* table: print times as a span before this time, in seconds since the epoch; 0: as times */
	uint64_t now;
	void *priv;	      /* the renderer's own data, in the arena */
	const char *left_out; /* table: columns that did not fit, "a, b"; NULL: none */
	size_t unknown;	      /* records with an AVAIL_UNKNOWN field that were printed */
};
extern const struct render_ops render_plain, render_json, render_ndjson, render_table, render_rows, render_html;

void render_begin(struct render *r);
void render_section(struct render *r, const struct schema *s, const struct view *v);
void render_record(struct render *r, const void *rec);
void render_end(struct render *r);

/*
 * A list that several processes print together, as JSON or NDJSON. Each process begins with render_apart(): it then
 * writes to memory, as if its record were the first; the process that began the list prints what is then in r->out.
 */
bool render_joins(const struct render *r);
void render_apart(struct render *r);
void render_join(struct render *r, const char *text, size_t n);

/* Records as members of an object that is already open (also inside other documents). */
/* The value of one field. True if a part of it could not be read. */
bool render_json_value(struct jsonw *w, const struct field *f, const struct value *v);
void render_json_fields(struct jsonw *w, const struct schema *s, const void *rec, unsigned skip_need, size_t *unknown);
/* The same for the fields on the first line of plain text, without rows: bpftool's header of a dump. */
void render_json_headline(struct jsonw *w, const struct schema *s, const void *rec, size_t *unknown);
/* The first line (line 0) of a record in plain text, as bpftool prints it above each of several dumps; no newline. */
void render_plain_headline(struct out *o, const struct schema *s, const void *rec);
