/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct out;
struct jsonw;
struct err;
struct machine;
struct arena;
struct doc;
struct render;
struct schema;

/* A line on standard error, now and then, for who waits at a terminal; main prints it. */
struct progress {
	void (*show)(struct progress *p, const char *what, uint64_t n);
	int64_t since; /* second of the last line, of the first call before; 0: not called yet */
	bool shown;
};

/* Where the answers of a command go, and what it has to say besides. Nothing else prints. */
struct report {
	struct out *out;  /* plain text; a command prints here only if jw is NULL */
	struct jsonw *jw; /* JSON mode: the document. A command writes one value, or none: then null is printed for it.
			     NULL: text. Nobody outside of render/ looks */
	bool html;	  /* text: a part of a page (render/html.h); lists of records alone */
	bool ndjson;	  /* JSON, an object a line where there is a list */
	struct progress *progress; /* NULL: nobody waits */
	/* What is missing: report_is_partial(). */
	size_t unread;	      /* objects that could not be read, or not completely */
	char unread_why[512]; /* the first reason, or "" */
	int unread_code;      /* its -errno */
	char unlisted[256];   /* kinds whose list could not be read: "programs, maps" */
	int unlisted_why;     /* -errno of the first of them */
	struct str refused;   /* lines: what was refused and why */
	size_t untold;	      /* so many more of them, for which there was no room */
	bool missed_live;     /* something was not there on the running machine */
	bool empty;	      /* a list has no records: said as a note where there is no other */
	char note[256];	      /* about what was printed, for people: on standard error, no failure; or "" */
	/* Of a failure: a record that explains it, on standard error above the sentence, or "because" in the error
	 * object. */
	const struct schema *because; /* NULL: none */
	const void *because_rec;      /* lives as long as the command */
	bool streamed;		      /* NDJSON lines went to out instead of a value to jw */
	bool told;		      /* the failure is in the document as an error object */
	bool differs;		      /* a command with CMD_DIFF found a difference */
	int status; /* of a command that ran another: that one's exit status, where nothing is missing */
};

/* For a command inside of another: to the same place. report_merge() tells what came of it. */
static inline struct report report_inner(const struct report *r)
{
	return (struct report){ .out = r->out, .jw = r->jw, .ndjson = r->ndjson };
}
/* From now on JSON. */
static inline void report_json(struct report *r, struct jsonw *jw, bool ndjson)
{
	r->jw = jw;
	r->ndjson = ndjson;
}
/* A document in the format asked for; its shapes live in @keep. At its end: what could not be read counts, and what was
 * streamed. */
void report_doc(const struct report *r, struct arena *keep, struct doc *ret);
void report_doc_end(struct report *r, const struct doc *d);
/* The same of a list of records: json, ndjson, or plain, for which the caller may take another. */
void report_render(struct report *r, struct arena *keep, struct render *ret);
void report_render_end(struct report *r, struct render *rendered);
/* Notes which columns of a table found no room on the terminal; report_render_end() does. */
void report_left_out(struct report *r, const struct render *rendered);

/* One command of several in the same document (batch): begins behind what is there. */
struct report_mark {
	unsigned depth;
	uint64_t values;
};
struct report_mark report_mark(const struct report *r);
/* Whatever happened, it leaves one complete value behind: an error object, or null unless its text is no JSON
 * (@is_text). */
void report_finish(struct report *r, struct report_mark from, const struct err *e, bool is_text);
/* A failure as the JSON object that stands for a command's output: {"error", "errno", "hint"}; text says nothing, main
 * does. */
void report_error(struct report *r, const struct err *e);

/* What explains the failure, on standard error; nothing if nothing does. */
void report_explain(const struct report *r);

/* An object that a list could not read: counted, the first sentence kept. Clears *e. */
void report_unread(struct report *r, struct err *e);
/* One of several files or machines: each is named. Clears *e. */
void report_lost(struct report *r, struct err *e);
/* A list that a command on several kinds has to do without: @noun of the kind and why. */
void report_unlisted(struct report *r, const char *noun, int why);
/* What the machine refused, for who reads the answer; of many machines with its name. */
void report_refused(struct report *r, const struct machine *m);
/* Is anything of that missing? Exit status 5. */
bool report_is_partial(const struct report *r);
/* Whatever was missing so far was not asked for: it is not told. */
void report_excuse(struct report *r, struct machine *m);
/* A table without a line: none of @n records fits the filter, or there is none at all and no note says why. */
void report_none(struct report *r, size_t n);
/* What a command inside of another (batch) could not read, and its note. */
void report_merge(struct report *r, const struct report *sub);
void report_release(struct report *r);

#endif
