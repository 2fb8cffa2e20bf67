/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/jsonw.h"
#include "render/text.h"

/*
 * A document of records: code with its functions, a dump with a heading, a report. It is written once for both formats:
 * the caller decides the order, the schemas decide how a record looks. Only render/ knows which format it is.
 *
 *			text					JSON
 *   doc_record()	a block (render/plain.c), a newline	an object
 *   doc_fields()	the same				members of the object that is open
 *   doc_headline()	its line 0, a newline			the fields of that line, as members
 *   doc_list(name)	nothing					an array, up to its doc_end()
 *   doc_object(name)	nothing					an object, up to its doc_end()
 *   doc_text()		the text				nothing
 *   doc_line()		the line, with its newline		a string, with its newline; in a stream a line
 *   doc_stream(name)	nothing					as doc_list(); for NDJSON one object per line
 *   doc_drawn()	a picture of the record			an object
 *   doc_row()		a row of a table under doc_head()	an object
 *
 * @name is the member's name in an object, NULL in an array and for the document itself. A record without a field that
 * applies prints nothing in text. doc_list() and doc_object() nest as in JSON; if a command fails in between, its
 * dispatcher closes what is open.
 */
struct doc {
	struct plain plain; /* text: output, shapes of the records so far, margin */
	struct jsonw *jw;   /* NULL: text */
	bool ndjson;	    /* doc_stream() writes lines */
	bool streamed;	    /* doc_stream() wrote lines: jw has no document */
	struct jsonw line;  /* writer of these lines; in text, of doc_value() */
	/* text: long lines of records are continued on the next line of a terminal; off by default */
	bool folds;
	size_t unread; /* records with a field that could not be read */
};
/* The document keeps in @a what it learns of records: not an arena that has a scope meanwhile. */
void doc_init(struct doc *d, struct out *o, struct jsonw *jw, struct arena *a);
void doc_list(struct doc *d, const char *name);
void doc_stream(struct doc *d, const char *name);
void doc_object(struct doc *d, const char *name);
void doc_end(struct doc *d);
void doc_record(struct doc *d, const struct schema *s, const void *rec);
void doc_fields(struct doc *d, const struct schema *s, const void *rec);
void doc_headline(struct doc *d, const struct schema *s, const void *rec);
void doc_text(struct doc *d, const char *text);
void doc_line(struct doc *d, const char *line, size_t n); /* a line of text that is not ours */
void doc_hex(struct doc *d, const void *p, size_t n);	  /* bytes, only in text */
void doc_null(struct doc *d);				  /* null, only in JSON */
void doc_text_escape(struct doc *d, const char *text);	  /* like doc_text(), for text from outside */
/*
 * The writer for one value that its caller can print (types/value): in JSON the member @name; in text JSON in the
 * layout of bpftool's values of types, without a newline at the end.
 */
struct jsonw *doc_value(struct doc *d, const char *name);
/* A picture that text has in place of the fields of JSON. */
void doc_draw(struct doc *d, void (*draw)(void *ctx, struct out *o), void *ctx);
void doc_drawn(struct doc *d, const struct schema *s, const void *rec, void (*draw)(void *ctx, struct out *o),
	       void *ctx);
static inline bool doc_is_text(const struct doc *d)
{
	return !d->jw;
}
/* The next value is the member @name and is written by another writer (a command run by another). */
void doc_name(struct doc *d, const char *name);
/*
 * The needs (record/field.h) of the fields that this format prints: facts that nothing needs need not be read. Only
 * fields of the fixed part.
 */
unsigned doc_need(const struct doc *d, const struct schema *s);

/*
 * bpftool's tables: columns of a fixed width with a blank between them. Title NULL: the column has none. On a terminal
 * a cell that is too wide takes the blanks of those after it, and a row that is too long is continued on the next line.
 * @indent: blanks before a row.
 */
struct doc_column {
	const char *field, *title;
	unsigned width;
};
void doc_head(struct doc *d, const struct doc_column *columns, size_t n);
void doc_row(struct doc *d, unsigned indent, const struct doc_column *columns, size_t n, const struct schema *s,
	     const void *rec);

/*
 * Write a failure as a record: {"error", "errno", "hint"}, and in "because" the record that explains it, unless NULL.
 * Writes nothing in text.
 */
extern const struct schema error_schema;
void doc_error(struct doc *d, const struct err *e, const struct schema *because, const void *rec);

/*
 * Set the function that writes the margin left of each line of the following blocks (struct plain); @put NULL: no
 * margin.
 */
void doc_margin(struct doc *d, void (*put)(void *ctx, unsigned line, struct out *o), void *ctx);
/* True if output can no longer be written, so that the rest can be omitted. */
bool doc_dead(const struct doc *d);

/*
 * A member without a schema, for dumps of millions of elements: the text before its value, and its name in the form of
 * jsonw_name_raw(). Words are escaped in text; the sign of a number is separate.
 */
struct doc_member {
	const char *before, *json;
	uint8_t before_n, json_n;
};
#define DOC_MEMBER(text, name) \
	{ \
		(text), "\"" name "\"", sizeof(text) - 1, sizeof(name) + 1 \
	}
void doc_word(struct doc *d, const struct doc_member *m, const char *word);
void doc_number(struct doc *d, const struct doc_member *m, bool minus, uint64_t v);

/*
 * Records side by side. doc_columns(): columns of the screen that text goes to; 0 for JSON. doc_pair(): in text, the
 * line that @left writes and, from @column on, the one that @right writes; either may be NULL. doc_cell(): doc_record()
 * without the newline of text.
 */
unsigned doc_columns(const struct doc *d);
typedef void doc_side(void *ctx, struct doc *d);
void doc_pair(struct doc *d, doc_side *left, doc_side *right, void *ctx, size_t column);
void doc_cell(struct doc *d, const struct schema *s, const void *rec);
