/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schema;
struct view;
struct field;
struct value;
struct out;
struct arena;
struct jsonw;
struct render;
/*
 * Records in, text out. A renderer sees schema and record; it knows no BPF object and never asks the source.
 * A list of records of one schema goes through a struct render, everything else (records with lists in them, lists with
 * headings, records of several schemas) is a document: render/doc.h.
 *
 * begin, section, records, end; end is called on every path, so that the document is complete even when a command
 * fails.
 *
 * JSON: an array of objects, or the bare object if `single`; the newline behind the document is the caller's. NDJSON:
 * an object a line, flushed. Plain: bpftool's blocks. Table: columns measured in a first pass, so it keeps the cells
 * (not the records) until end; on a terminal made to fit it (render/fit.h, field.drop). Rows: the same for a stream, in
 * columns as wide as the fields say; fields of the fixed part. HTML: a table, whose ids are links.
 */
struct render_ops {
	const char *name, *help;
	void (*begin)(struct render *r);
	void (*section)(struct render *r); /* r->schema and r->view were set to a new kind of record */
	void (*record)(struct render *r, const void *rec);
	void (*end)(struct render *r);
};
struct render {
	const struct render_ops *ops;
	const struct schema *schema;
	const struct view *view; /* may be NULL: everything */
	struct out *out;
	struct jsonw *jw;    /* json only */
	struct arena *arena; /* lives until end */
	bool single;	     /* json: the one record is the document */
	bool headings;	     /* table: print the header line */
	size_t measure; /* table: after so many records of a section the others are printed as they come, in the columns
			   that these need; 0: all are kept */
	bool own;	/* html: the records are objects, each the one that links with its id lead to */
	unsigned skip_need;   /* plain, json: leave out fields that need one of these (pins without -f) */
	uint64_t now;	      /* table: times are so long before it, in seconds since the epoch; 0: as they are */
	void *priv;	      /* the renderer's own, in the arena */
	const char *left_out; /* table: columns that found no room, "a, b"; NULL: none */
	size_t unknown;	      /* records printed with an AVAIL_UNKNOWN field in them */
};
extern const struct render_ops render_plain, render_json, render_ndjson, render_table, render_rows, render_html;

void render_begin(struct render *r);
void render_section(struct render *r, const struct schema *s, const struct view *v);
void render_record(struct render *r, const void *rec);
void render_end(struct render *r);

/*
 * A list whose records several processes print: JSON and NDJSON. Each begins with render_apart(), in memory from then
 * on, as if its record were the first of all; what is then in r->out, the one that began the list passes on.
 */
bool render_joins(const struct render *r);
void render_apart(struct render *r);
void render_joined(struct render *r, const char *text, size_t n);

/* One record as the members of an object that is already open (also used for records inside other documents). */
/* The value of one field. True if something in it could not be read. */
bool render_json_value(struct jsonw *w, const struct field *f, const struct value *v);
void render_json_fields(struct jsonw *w, const struct schema *s, const void *rec, unsigned skip_need, size_t *unknown);
/* The same of those fields that stand on the headline of plain text, without rows: bpftool's header of a dump. */
void render_json_headline(struct jsonw *w, const struct schema *s, const void *rec, size_t *unknown);
/* The plain headline (line 0) of a record, as bpftool prints it above each of several dumps; no newline. */
void render_plain_headline(struct out *o, const struct schema *s, const void *rec);

#endif
