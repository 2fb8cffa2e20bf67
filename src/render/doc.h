/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_DOC_H
#define RENDER_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/jsonw.h"
#include "render/text.h"

struct schema;
struct out;
struct arena;
struct err;
/*
 * A document of records: code with its functions, a dump with a heading, a report. It is written once for both formats:
 *the caller says what follows what, the schemas say how a record looks. Nobody outside of render/ asks which format it
 *is.
 *
 *			text					JSON
 *   doc_record()	a block (render/plain.c), a newline	an object
 *   doc_fields()	the same				members of the object that is open
 *   doc_headline()	its line 0, a newline			the fields of that line, as members
 *   doc_list(name)	nothing					an array, up to its doc_end()
 *   doc_object(name)	nothing					an object, up to its doc_end()
 *   doc_text()		the text				nothing
 *   doc_line()		the line, with its newline		a string, with its newline; in a stream a line
 *
 *   doc_stream(name)	nothing					as doc_list(); for NDJSON an object a line
 *   doc_drawn()	a picture of the record			an object
 *   doc_row()		a row of a table under doc_head()	an object
 *
 * @name is the member's name in an object, NULL in an array and for the document itself. A record without a field that
 * applies is nothing in text. doc_list() and doc_object() nest as in JSON; where a command fails in between, its
 * dispatcher closes what is open.
 */
struct doc {
	struct plain plain; /* text: where to, the shapes of records met so far, the margin */
	struct jsonw *jw;   /* NULL: text */
	bool ndjson;	    /* doc_stream() writes lines */
	bool streamed;	    /* it did: there is no document in jw */
	struct jsonw line;  /* where they are made; of text: doc_value() */
	bool folds;	    /* text: lines of records go on in another one where a terminal ends; off unless set */
	size_t unread;	    /* records with a fact that could not be read */
};
/* @a lives as long as the document and is not rewound behind it. */
void doc_init(struct doc *d, struct out *o, struct jsonw *jw, struct arena *a);
void doc_list(struct doc *d, const char *name);
void doc_stream(struct doc *d, const char *name);
void doc_object(struct doc *d, const char *name);
void doc_end(struct doc *d);
void doc_record(struct doc *d, const struct schema *s, const void *rec);
void doc_fields(struct doc *d, const struct schema *s, const void *rec);
void doc_headline(struct doc *d, const struct schema *s, const void *rec);
void doc_text(struct doc *d, const char *text);
void doc_line(struct doc *d, const char *line, size_t n); /* of somebody else's text */
void doc_hex(struct doc *d, const void *p, size_t n);	  /* bytes, as text too */
void doc_null(struct doc *d);				  /* nothing; in JSON null */
void doc_escaped(struct doc *d, const char *text);	  /* the same of what came from outside */
/*
 * The writer for one value that its caller knows how to print (btf/value): the member @name in JSON; in text JSON laid
 * out for reading, as bpftool prints values of types, without a newline behind it.
 */
struct jsonw *doc_value(struct doc *d, const char *name);
/* What text has in place of what JSON says in fields: a picture. */
void doc_draw(struct doc *d, void (*draw)(void *ctx, struct out *o), void *ctx);
void doc_drawn(struct doc *d, const struct schema *s, const void *rec, void (*draw)(void *ctx, struct out *o),
	       void *ctx);
static inline bool doc_is_text(const struct doc *d)
{
	return !d->jw;
}
/* The next value is the member @name and comes from another writer (a command inside of another). */
void doc_name(struct doc *d, const char *name);
/*
 * The needs (record/field.h) of the fields that this format shows: what need not be asked for is left out. Fields of
 * the fixed part.
 */
unsigned doc_need(const struct doc *d, const struct schema *s);

/*
 * bpftool's tables: columns of a fixed width, a blank between them. Title NULL: none above the column. On a terminal a
 * cell that is too wide takes the blanks of those behind it, and a row that is too long goes on in the next line.
 * @indent: blanks before a row.
 */
struct doc_column {
	const char *field, *title;
	unsigned width;
};
void doc_head(struct doc *d, const struct doc_column *columns, size_t n);
void doc_row(struct doc *d, unsigned indent, const struct doc_column *columns, size_t n, const struct schema *s,
	     const void *rec);

/* A failure as a record: {"error", "errno", "hint"}, and in "because" what explains it, unless NULL; text says nothing.
 */
extern const struct schema error_schema;
void doc_error(struct doc *d, const struct err *e, const struct schema *because, const void *rec);

/* What stands left of each line of a block from here on (struct plain); @put NULL: nothing. */
void doc_margin(struct doc *d, void (*put)(void *ctx, unsigned line, struct out *o), void *ctx);
/* Nobody reads on: the rest may be left out. */
bool doc_dead(const struct doc *d);

/*
 * A member without a schema, for dumps of millions: the text before its value, and its name as jsonw_name_raw() takes
 * it. Words are escaped in text; the sign of a number stands apart from it.
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
 * Records side by side: columns of the screen that text goes to, 0 for JSON, which has no sides. doc_beside(): in text,
 * the line that @left writes and from @column on the one of @right, each NULL: none. doc_cell() is doc_record() without
 * the newline of text.
 */
unsigned doc_columns(const struct doc *d);
typedef void doc_side(void *ctx, struct doc *d);
void doc_beside(struct doc *d, doc_side *left, doc_side *right, void *ctx, size_t column);
void doc_cell(struct doc *d, const struct schema *s, const void *rec);

#endif
