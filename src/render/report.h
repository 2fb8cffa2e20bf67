/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct jsonw;
struct machine;
struct doc;
struct render;
struct schema;

/* A line on standard error from time to time, for a user who waits at a terminal; main prints it. */
struct progress {
	void (*show)(struct progress *p, const char *what, uint64_t n);
	int64_t since; /* second of the last line, or of the first call before it; 0: not called yet */
	bool shown;
};

/* Where a command writes its output, and what it also has to report. Nothing else prints. */
struct report {
	struct out *out; /* plain text; a command writes here only if jw is NULL */
	/*
	 * the JSON document. A command writes one value; if it writes none, null is written for it. NULL: text. Only
	 * render/ reads it
	 */
	struct jsonw *jw;
	bool html;		   /* text: part of a page (render/html.h); only for lists of records */
	bool ndjson;		   /* JSON with one object per line for lists */
	uint32_t hide;		   /* text: field_flags of fields that no record shows */
	struct progress *progress; /* NULL: no terminal */
	/* What is missing: report_is_partial(). */
	size_t unread;	      /* objects that could not be read completely */
	char unread_why[512]; /* the first reason, or "" */
	int unread_code;      /* its -errno */
	char unlisted[256];   /* kinds that could not be listed: "programs, maps", "maps: REASON; links" */
	int unlisted_why;     /* -errno of the last of them */
	struct str refused;   /* lines: what was refused, and why */
	size_t nomitted;      /* number of further such lines, not kept */
	bool missed_id;	      /* opening an object of the running machine by its id was not permitted */
	bool missed_live;     /* a question to the running machine had no answer */
	int unseen;	      /* -errno: processes that may not be read were left out: a note */
	bool strict;	      /* they are as any other answer that is missing */
	bool empty;	      /* a list has no records: reported by a note if there is no other */
	char note[512];	      /* about what was printed, for people, on standard error; not a failure; or "" */
	/*
	 * A record that explains a failure, printed on standard error above the message, or as "because" in the error
	 * object.
	 */
	const struct schema *because; /* NULL: none */
	const void *because_rec;      /* must live as long as the command */
	bool streamed;		      /* NDJSON lines went to out instead of a value to jw */
	bool in_document;	      /* the document contains the failure as an error object */
	bool differs;		      /* a command with CMD_DIFF found a difference */
	int status; /* if nothing is missing: of a command that this one ran, or 1: nothing is listed (--exit-status) */
};

/* The report of a command run by another, with the same output. report_merge() adds its results. */
static inline struct report report_inner(const struct report *r)
{
	return (struct report){ .out = r->out, .jw = r->jw, .ndjson = r->ndjson, .hide = r->hide, .strict = r->strict };
}
static inline bool report_is_text(const struct report *r)
{
	return !r->jw;
}
/* Switch to JSON. */
static inline void report_json(struct report *r, struct jsonw *jw, bool ndjson)
{
	r->jw = jw;
	r->ndjson = ndjson;
}
/*
 * A document in the requested format; its shapes are allocated in @keep. report_doc_end() counts what could not be
 * read, and notes whether lines were streamed.
 */
void report_doc(const struct report *r, struct arena *keep, struct doc *ret);
void report_doc_end(struct report *r, const struct doc *d);
/* The same for a list of records: json, ndjson or plain; the caller may set another renderer in place of plain. */
void report_render(struct report *r, struct arena *keep, struct render *ret);
void report_render_end(struct report *r, struct render *rendered);
/* Set the note on columns of a table that did not fit the terminal; called by report_render_end(). */
void report_left_out(struct report *r, const struct render *rendered);

/* The start of one command of several in the same document (batch). */
struct report_mark {
	unsigned depth;
	uint64_t values;
};
struct report_mark report_mark(const struct report *r);
/*
 * End the command: whatever happened, it leaves one complete value, an error object, or null unless it prints text
 * (@is_text).
 */
void report_finish(struct report *r, struct report_mark from, const struct err *e, bool is_text);
/*
 * Write a failure as the JSON object in place of a command's output: {"error", "errno", "hint"}. Writes nothing in
 * text: main does that.
 */
void report_error(struct report *r, const struct err *e);

/* Print the record that explains the failure, if any, on standard error. */
void report_explain(const struct report *r);

/* Add to the note, after "; " if there is one; what it has already is not repeated. */
void report_note(struct report *r, const char *fmt, ...) PRINTF(2, 3);
/* Count an object of a list that could not be read; the first message is kept. Clears *e. */
void report_unread(struct report *r, struct err *e);
/* Report one of several files or machines that could not be read; each is named. Clears *e. */
void report_add_lost(struct report *r, struct err *e);
#define REPORT_UNSEEN "some processes could not be read; what only they hold or see is not listed [%s]"
/* Report that processes could not be read, @why: what only they hold or see is not listed. */
void report_add_unseen(struct report *r, int why);
/* Report a list that a command on several kinds does without: @noun of the kind, and why. */
void report_add_unlisted(struct report *r, const char *noun, int why);
/* Report what the machine refused, with its name if there are several. */
void report_add_refused(struct report *r, const struct machine *m);
/* What could not be read so far, for a hint: what is not found may be there. NULL: nothing is missing. */
const char *report_missing(const struct report *r, const struct machine *m, struct arena *a);
/* Is anything missing? Then the exit status is 5. */
bool report_is_partial(const struct report *r);
/* Forget what was missing so far, because it was not requested. */
void report_excuse(struct report *r, struct machine *m);
/* Note that a table is empty: none of @n records matches the filter, or there are none and no note gives a reason. */
void report_none(struct report *r, size_t n);
/* Add what a command run by another (batch) could not read, and its note. */
void report_merge(struct report *r, const struct report *sub);
void report_release(struct report *r);
