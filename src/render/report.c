/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/report.h"

#include "render/doc.h"
#include "render/render.h"
#include "source/machine.h"

#define REFUSED_LINES 12u /* per machine; further reasons are only counted */
#define LINES_MAX 40u	  /* in total; further ones are only counted */
#define MISSING_NAMED 3u  /* in a hint */

void report_doc(const struct report *r, struct arena *keep, struct doc *ret)
{
	doc_init(ret, r->out, r->jw, keep);
	ret->ndjson = r->ndjson;
	ret->plain.hide = r->hide;
}

void report_doc_end(struct report *r, const struct doc *d)
{
	r->unread += d->unread;
	r->streamed |= d->streamed;
}

/* Inside another document (batch) lines are not possible. */
static const struct render_ops *format_of(const struct report *r)
{
	return !r->jw			  ? (r->html ? &render_html : &render_plain) :
	       r->ndjson && !r->jw->depth ? &render_ndjson :
					    &render_json;
}

void report_render(struct report *r, struct arena *keep, struct render *ret)
{
	*ret = (struct render){ .ops = format_of(r),
				.out = r->out,
				.jw = r->jw,
				.arena = keep,
				.headings = true,
				.hide = r->jw ? 0 : r->hide };
	r->streamed |= ret->ops == &render_ndjson;
}

void report_render_end(struct report *r, struct render *rendered)
{
	render_end(rendered);
	r->unread += rendered->unknown;
	report_left_out(r, rendered);
}

#define WIDE "--wide also shows "

void report_left_out(struct report *r, const struct render *rendered)
{
	if (rendered->left_out && !strstr(r->note, WIDE))
		report_note(r, WIDE "%s", rendered->left_out);
}

struct report_mark report_mark(const struct report *r)
{
	return r->jw ? (struct report_mark){ r->jw->depth, r->jw->values } : (struct report_mark){ 0 };
}

void report_finish(struct report *r, struct report_mark from, const struct err *e, bool is_text)
{
	if (!r->jw)
		return;
	if (r->jw->values != from.values)
		jsonw_close(r->jw, from.depth);
	if (r->jw->values != from.values || r->streamed)
		return;
	if (e->code)
		report_error(r, e);
	else if (!is_text)
		jsonw_null(r->jw);
}

void report_error(struct report *r, const struct err *e)
{
	struct doc d;

	if (!r->jw)
		return;
	doc_init(&d, NULL, r->jw, NULL);
	doc_error(&d, e, r->because, r->because_rec);
	r->in_document = true;
}

void report_unread(struct report *r, struct err *e)
{
	r->unread++;
	/* Values that are unknown were counted without a reason. */
	if (!r->unread_why[0]) {
		memcpy(r->unread_why, e->msg, sizeof(r->unread_why));
		r->unread_code = e->code;
	}
	err_clear(e);
}

static void refused_add(struct report *r, const char *fmt, ...) PRINTF(2, 3);
static void refused_add(struct report *r, const char *fmt, ...)
{
	va_list ap;

	if (r->refused.n && str_lines(r->refused.p) >= LINES_MAX) {
		r->nomitted++;
		return;
	}
	va_start(ap, fmt);
	str_vfmt(&r->refused, fmt, ap);
	va_end(ap);
	str_puts(&r->refused, "\n");
}

void report_add_lost(struct report *r, struct err *e)
{
	refused_add(r, "%s [%s]", e->msg, err_name(e->code));
	err_clear(e);
}

void report_add_unseen(struct report *r, int why)
{
	if (r->strict || (why != -EACCES && why != -EPERM))
		refused_add(r, "some processes: %s [%s]", strerror(-why), err_name(why));
	else
		r->unseen = why;
}

static void add_unlisted(struct report *r, const char *nouns, int why)
{
	size_t n = strlen(r->unlisted);

	if (n && r->unlisted_why != why)
		str_fit(r->unlisted + n, sizeof(r->unlisted) - n, ": %s; %s", strerror(-r->unlisted_why), nouns);
	else
		str_fit(r->unlisted + n, sizeof(r->unlisted) - n, "%s%s", n ? ", " : "", nouns);
	r->unlisted_why = why;
}

void report_add_unlisted(struct report *r, const char *noun, int why)
{
	char nouns[32];

	snprintf(nouns, sizeof(nouns), "%ss", noun);
	if (!strstr(r->unlisted, nouns)) /* a command may need the same list twice */
		add_unlisted(r, nouns, why);
}

/* An object, process or namespace can go while an archive is written; the machine cannot. */
static const char *reason(const struct machine *m, enum question q, int why)
{
	if (why == -ENODATA && machine_is_saved(m))
		return "not in this archive";
	if (why == -ENOENT && machine_is_saved(m) && questions[q].about != ABOUT_MACHINE)
		return "gone when the archive was written";
	if (why == -EBADMSG)
		return "the answer is damaged";
	return strerror(-why);
}

/* Does the sentence say no more than the errno does? */
static bool is_without_errno(const char *sentence, int why)
{
	size_t n = strlen(sentence), len = strlen(strerror(-why));

	return n >= len && !strcmp(sentence + n - len, strerror(-why));
}

void report_add_refused(struct report *r, const struct machine *m)
{
	ARENA a = m->refused ? arena_new() : NULL;
	const char *host = a && m->host ? arena_fmt(a, "%s: ", m->host) : "";
	size_t lines = 0, folded = 0;

	for (const struct refusal *f = m->refused; f; f = f->next) {
		if (f->unseen && !r->strict) {
			r->unseen = f->why;
			continue;
		}
		/* This machine refused it for all objects. */
		if (f->why == r->unread_code && is_without_errno(r->unread_why, f->why))
			r->unread_why[0] = '\0';
		if (++lines > REFUSED_LINES) {
			folded += f->n;
			continue;
		}
		refused_add(r, "%s%s%s: %s [%s]", host, question_what(&f->first, a),
			    f->n > 1 ? arena_fmt(a, " and %zu more", f->n - 1) : "", reason(m, f->first.q, f->why),
			    err_name(f->why));
		r->missed_id |= f->why == -EPERM && !machine_is_saved(m) && questions[f->first.q].about >= ABOUT_PROG &&
				questions[f->first.q].about <= ABOUT_BTF;
		r->missed_live |= f->why == -ENOENT && !machine_is_saved(m);
	}
	if (lines > REFUSED_LINES)
		refused_add(r, "%s%zu other answer%s", host, folded, plural(folded));
}

const char *report_missing(const struct report *r, const struct machine *m, struct arena *a)
{
	const char *ret = r->unread ? r->unread_why : NULL;
	size_t n = 0;

	for (const struct refusal *f = m->refused; f && n < MISSING_NAMED; f = f->next, n++)
		ret = arena_fmt(a, "%s%s%s", ret ? ret : "", ret ? "; " : "", question_what(&f->first, a));
	return ret;
}

bool report_is_partial(const struct report *r)
{
	return r->unread || r->unlisted[0] || r->refused.n;
}

void report_excuse(struct report *r, struct machine *m)
{
	r->unread = 0;
	r->unread_why[0] = '\0';
	r->unread_code = 0;
	r->unlisted[0] = '\0';
	r->unseen = 0;
	machine_forget(m);
}

/* Add the lines that are not yet there: commands of a batch ask the same machine. */
static void refused_merge(struct report *r, const struct report *sub)
{
	for (const char *p = sub->refused.p, *end; p && *p; p = end + 1) {
		ARENA a = arena_new();
		char *line;

		end = strchr(p, '\n');
		line = arena_str(a, p, (size_t)(end - p));
		if (!r->refused.n || !strstr(r->refused.p, line))
			refused_add(r, "%s", line);
	}
	r->nomitted += sub->nomitted;
}

void report_note(struct report *r, const char *fmt, ...)
{
	char before[sizeof(r->note)], text[sizeof(r->note)];
	va_list ap;

	memcpy(before, r->note, sizeof(before));
	va_start(ap, fmt);
	str_vfit(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!strstr(before, text))
		str_fit(r->note, sizeof(r->note), "%s%s%s", before, before[0] ? "; " : "", text);
}

void report_none(struct report *r, size_t n)
{
	char note[sizeof(r->note)];

	memcpy(note, r->note, sizeof(note));
	if (n)
		str_fit(r->note, sizeof(r->note), "none of %zu matches the filter%s%s", n, note[0] ? "; " : "", note);
	else
		r->empty = true;
}

void report_merge(struct report *r, const struct report *sub)
{
	if (sub->unread && !r->unread_why[0]) {
		memcpy(r->unread_why, sub->unread_why, sizeof(r->unread_why));
		r->unread_code = sub->unread_code;
	}
	r->unread += sub->unread;
	report_note(r, "%s", sub->note);
	if (sub->unlisted[0] && !r->unlisted[0])
		add_unlisted(r, sub->unlisted, sub->unlisted_why);
	r->empty |= sub->empty;
	r->status = r->status ? r->status : sub->status;
	r->unseen = sub->unseen ? sub->unseen : r->unseen;
	r->missed_id |= sub->missed_id;
	r->missed_live |= sub->missed_live;
	refused_merge(r, sub);
}

void report_explain(const struct report *r)
{
	ARENA a = r->because ? arena_new() : NULL;
	struct out o;
	struct doc d;

	if (!r->because)
		return;
	out_init(&o, STDERR_FILENO);
	doc_init(&d, &o, NULL, a);
	doc_record(&d, r->because, r->because_rec);
	out_close(&o, NULL);
}

void report_release(struct report *r)
{
	str_release(&r->refused);
}
