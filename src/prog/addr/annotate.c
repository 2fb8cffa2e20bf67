/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/addr/annotate.h"

#include "base/paint.h"
#include "cli/env.h"
#include "prog/addr/addr.h"
#include "prog/addr/trace.h"
#include "record/field.h"
#include "render/render.h"
#include "source/source.h"

#define WINDOW (64u << 10) /* bytes of a line that are read at once */
#define LINE_NOTES 64	   /* notes for one line; more are omitted */
#define TWINS 8		   /* maximum of programs in one note */

struct annotation {
	struct env *env;
	struct addr_index *x;
	struct render r;
	struct trace trace;
	struct out notes; /* of this line */
	size_t nnotes;
	const struct addr_func *func; /* function in the last note of this line; NULL: none */
	uint64_t off;
	uint64_t line;
	size_t symbols, found; /* symbols of programs; frames that are in loaded programs */
};

static void note_record(struct annotation *a, const struct trace_frame *f, const char *asked, struct addr_rec *rec)
{
	rec->asked = asked;
	rec->frame = f->how;
	rec->has_frame = AVAIL_YES;
	rec->input_line = a->line;
	render_record(&a->r, rec);
}

static void note_plain(struct annotation *a, const struct trace_frame *f, const struct addr_func *const *funcs,
		       size_t n, const struct addr_rec *rec)
{
	struct out *o = &a->notes;
	size_t i;

	out_fmt(o, "    ^ program%s %u", n > 1 ? "s" : "", rec->prog_id);
	for (i = 1; i < n && i < TWINS; i++)
		out_fmt(o, ", %u", addr_prog_id(a->x, funcs[i]));
	if (i < n)
		out_fmt(o, " and %zu more", n - i);
	/* If the symbol has no name, the programs may have different names. */
	if (*rec->name && (n == 1 || *f->name)) {
		out_char(o, ' ');
		out_text(o, rec->name);
	}
	if (strcmp(rec->func, rec->name)) {
		out_str(o, ", function ");
		out_text(o, rec->func);
	}
	if (rec->place) {
		out_str(o, ", ");
		out_text(o, rec->place);
	}
	if (rec->src && *rec->src) {
		out_str(o, ": ");
		out_text(o, rec->src);
	}
	out_char(o, '\n');
}

/* In a recording several functions may have had the address, and the trace has no times. */
static void note_times(struct annotation *a, const struct trace_frame *f, const struct addr_func *const *funcs,
		       size_t n)
{
	struct out *o = &a->notes;
	size_t i;

	out_str(o, "    ^ at different times ");
	for (i = 0; i < n && i < TWINS; i++) {
		const struct addr_want want = { .off = addr_off(funcs[i], f), .how = f->how };
		struct addr_rec rec = { 0 };

		addr_describe(a->x, funcs[i], &want, &rec);
		out_str(o, i ? ", " : "");
		if (!funcs[i]->code)
			out_fmt(o, "program %u ", rec.prog_id);
		out_text(o, rec.func);
	}
	if (i < n)
		out_fmt(o, " and %zu more", n - i);
	out_char(o, '\n');
}

static void note_unknown(struct annotation *a, const struct trace_frame *f, const char *asked)
{
	struct addr_rec rec = { .kind = ADDR_NONE };

	if (a->env->report->jw)
		note_record(a, f, asked, &rec);
	else
		out_str(&a->notes, "    ^ no loaded program has this symbol\n");
}

/*
 * An address that is twice on a line gets one note: "[<ffffffffc0001234>] bpf_prog_…+0x1/0x2", "address name+0x1a
 * (name)".
 */
static bool is_noted(const struct annotation *a, const struct trace_frame *f, const struct addr_func *const *funcs,
		     size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (funcs[i] == a->func && (addr_off(funcs[i], f) == a->off || (f->symbol && !f->has_off)))
			return true;
	return false;
}

static bool in_prog(const struct addr_func *const *funcs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!funcs[i]->code)
			return true;
	return false;
}

static void frame_note(struct annotation *a, const struct trace_frame *f)
{
	struct addr_want want = { .how = f->how, .disasm = a->env->report->jw };
	const struct addr_func *const *funcs;
	size_t n = addr_resolve(a->x, f, &funcs);
	const bool times = n > 1 && !f->symbol;
	char asked[TRACE_TEXT_MAX];

	a->symbols += f->symbol;
	if ((!f->symbol && !in_prog(funcs, n)) || is_noted(a, f, funcs, n) || a->nnotes == LINE_NOTES)
		return;
	a->nnotes++;
	trace_frame_text(f, asked, sizeof(asked));
	if (!n) {
		note_unknown(a, f, asked);
		return;
	}
	a->found++;
	a->func = funcs[0];
	a->off = addr_off(funcs[0], f);
	if (times && !a->env->report->jw) {
		note_times(a, f, funcs, n);
		return;
	}
	want.life = times;
	for (size_t i = 0; i < (a->env->report->jw ? n : 1); i++) {
		struct addr_rec rec = { 0 };

		want.off = addr_off(funcs[i], f);
		addr_describe(a->x, funcs[i], &want, &rec);
		if (a->env->report->jw)
			note_record(a, f, asked, &rec);
		else
			note_plain(a, f, funcs, n, &rec);
	}
}

/* Reads a line or a part of it. @begins, @ends: it is the first, the last part. */
static void piece_read(struct annotation *a, const char *p, size_t n, bool begins, bool ends)
{
	const char *pos = p;
	struct trace_frame f;

	if (begins) {
		a->line++;
		a->nnotes = 0;
		a->func = NULL;
		trace_line(&a->trace, p, n);
	}
	while (trace_next(&a->trace, &pos, p + n, &f))
		frame_note(a, &f);
	if (a->env->report->jw)
		return;
	out_copy(a->env->report->out, p, n);
	if (!ends || !a->notes.n)
		return;
	if (p[n - 1] != '\n')
		out_char(a->env->report->out, '\n');
	out_paint(a->env->report->out, ROLE_SOURCE);
	out_bytes(a->env->report->out, a->notes.buf, a->notes.n);
	out_paint(a->env->report->out, ROLE_NONE);
	a->notes.n = 0;
}

/*
 * Reads the complete lines of the window, or a part of a line that is longer than the window. Returns the number of
 * bytes read.
 */
static size_t window_read(struct annotation *a, const char *p, size_t n, bool *begins, bool last)
{
	size_t done = 0, part;
	const char *nl;

	while (done < n && (nl = memchr(p + done, '\n', n - done))) {
		part = (size_t)(nl - p) + 1 - done;
		piece_read(a, p + done, part, *begins, true);
		*begins = true;
		done += part;
	}
	if (done == n || (!last && (done || n < WINDOW)))
		return done;
	part = last ? n - done : trace_part(p + done, n - done);
	part = part ? part : n - done;
	piece_read(a, p + done, part, *begins, last);
	*begins = false;
	return done + part;
}

static int trace_lines_read(struct annotation *a, struct err *e)
{
	char *window = arena_alloc(a->env->keep, WINDOW);
	bool begins = true;
	size_t n = 0, done;
	ssize_t got = 1;

	while (got && !out_dead(a->env->report->out)) {
		out_flush(a->env->report->out);
		source_idle(a->env->machine->src);
		got = read(STDIN_FILENO, window + n, WINDOW - n);
		if (got < 0 && errno != EINTR)
			return err_sys(e, -errno, "cannot read standard input");
		if (got < 0)
			continue;
		n += (size_t)got;
		done = window_read(a, window, n, &begins, !got);
		n -= done;
		memmove(window, window + done, n);
	}
	return 0;
}

int annotate_run(struct env *env, struct err *e)
{
	struct annotation a = { .env = env };
	int err = addr_index_new(env, &a.x, e);

	if (err)
		return err;
	out_init(&a.notes, -1);
	env_render(env, &a.r);
	if (env->report->jw) {
		render_begin(&a.r);
		render_section(&a.r, &schema_addr, NULL);
	}
	err = trace_lines_read(&a, e);
	if (env->report->jw)
		report_render_end(env->report, &a.r);
	out_close(&a.notes, NULL);
	if (err || !a.symbols || a.found)
		return err;
	return addr_not_found(a.x, e, "no loaded program is in this trace");
}
