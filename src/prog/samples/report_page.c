/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/report_page.h"

#include "base/newfile.h"
#include "cli/command.h"
#include "info/info.h"
#include "cli/select.h"
#include "prog/samples/code_at.h"
#include "code/disasm.h"
#include "code/heat.h"
#include "code/jited.h"
#include "prog/samples/page_code.h"
#include "prog/samples/page_flame.h"
#include "prog/samples/page_lanes.h"
#include "prog/prog.h"
#include "code/xlated.h"
#include "record/field.h"
#include "record/view.h"
#include "render/doc.h"
#include "render/html.h"
#include "render/render.h"
#include "source/samples.h"

/* A program and its code. */
struct page_heat {
	struct prog_rec prog;
	struct heat heat;     /* without samples how is NULL */
	struct jited jited;   /* image.p NULL: translated code is shown instead */
	struct xlated xlated; /* set in that case */
	const char *instead;  /* the reason; NULL: there is machine code, or there are no samples */
};

struct page {
	struct env *env;
	struct out *o;
	const char *path, *name;	      /* of the machine's file, and without directories */
	const struct report_samples *samples; /* NULL: there are none */
	struct page_heat **heats;	      /* by index of the program in samples->index */
	size_t *order, n;		      /* the indexes of these, those with most samples first */
	const uint32_t *others;		      /* programs without samples whose code is in the page */
	size_t nothers;
	const uint32_t *maps; /* whose elements were saved */
	size_t nmaps;
	struct out coverage; /* the table of programs with counters; empty: there are none */
};

/* The lists on the page of a machine, which other commands make. */
static const struct page_list {
	const char *id, *heading, *words[3];
} lists[] = {
	{ "attachments", "Attachments", { "ls" } },	{ "graph", "Connected objects", { "graph" } },
	{ "programs", "Programs", { "prog", "list" } }, { "maps", "Maps", { "map", "list" } },
	{ "links", "Links", { "link", "list" } },	{ "pins", "Pins", { "pin", "list" } },
};

static void record_lines(struct page *p, const struct schema *s, const void *rec)
{
	struct out text;
	struct doc d;

	out_init(&text, -1);
	doc_init(&d, &text, NULL, p->env->arena);
	doc_record(&d, s, rec);
	html_lines(p->o, &text);
	out_close(&text, NULL);
}

static void machine_put(struct page *p)
{
	record_lines(p, &info_schema, info_read(p->env, p->path));
	if (p->samples)
		record_lines(p, p->samples->sum_schema, p->samples->sum);
}

static void page_contents_put(struct page *p)
{
	out_str(p->o, "<nav>");
	if (p->samples)
		out_str(p->o, "<a href=\"#time\">Programs by time</a>");
	if (page_has_lanes(p->env))
		out_str(p->o, "<a href=\"#lives\">Lifetimes</a>");
	if (p->samples)
		out_str(p->o, "<a href=\"#flame\">Flame graph</a>");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		out_fmt(p->o, "<a href=\"#%s\">%s</a>", lists[i].id, lists[i].heading);
	if (p->coverage.n)
		out_str(p->o, "<a href=\"#coverage\">Coverage</a>");
	if (p->nmaps)
		out_str(p->o, "<a href=\"#contents\">Contents of maps</a>");
	if (p->nothers)
		out_str(p->o, "<a href=\"#codes\">Code without samples</a>");
	out_str(p->o, "<a href=\"#missing\">What is missing</a></nav>\n");
}

static int heat_of_program(struct page *p, uint32_t id, struct page_heat **ret, struct err *e)
{
	struct page_heat *h = arena_alloc(p->env->keep, sizeof(*h));
	struct err why = { 0 };
	int err = prog_read(p->env, p->env->keep, id, NEED_BTF, &h->prog, e);

	if (err)
		return err;
	if (jited_read(p->env, id, &h->prog.info, &h->jited, &why)) {
		jited_read_places(p->env, id, &h->prog.info, &h->jited);
		err = xlated_read(p->env, id, &h->prog.info, &h->xlated, e);
		h->instead = arena_fmt(p->env->keep, "%s: its translated code is shown", why.msg);
		report_unread(p->env->report, &why);
	}
	if (err)
		return err;
	if (h->instead)
		xlated_refer(p->env, &h->xlated);
	code_info_fold(&h->xlated.src, NULL, false, p->env->keep);
	code_info_fold(&h->jited.src, &h->jited.places, false, p->env->keep);
	heat_init(&h->heat, &h->jited, p->samples->how, p->env->keep);
	h->heat.all = p->samples->all;
	*ret = h;
	return 0;
}

static void page_sample(void *ctx, const struct sample *s)
{
	struct page *p = ctx;
	const struct code_place *at = s->user ? NULL : code_at(p->samples->index, s->ip, s->time);

	if (at && !at->code && p->heats[at->known])
		heat_add(&p->heats[at->known]->heat, s->ip);
}

static int by_samples(const void *pa, const void *pb, void *ctx)
{
	const size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	const uint64_t *samples = ctx;

	return samples[a] != samples[b] ? (samples[a] < samples[b]) - (samples[a] > samples[b]) : (a > b) - (a < b);
}

static void codes_read(struct page *p)
{
	const struct report_samples *s = p->samples;

	p->heats = arena_array(p->env->keep, s->index->n, sizeof(*p->heats));
	p->order = arena_array(p->env->keep, s->index->n, sizeof(*p->order));
	for (size_t i = 0; i < s->index->n; i++) {
		struct err why = { 0 };

		if (s->samples[i] && heat_of_program(p, s->index->id[i], &p->heats[i], &why))
			report_unread(p->env->report, &why);
		if (p->heats[i])
			p->order[p->n++] = i;
	}
	qsort_r(p->order, p->n, sizeof(*p->order), by_samples, (void *)s->samples);
	samples_read(p->env->machine, p->env->arena, page_sample, p);
}

static void page_code_put(const struct page *p, const struct page_heat *h, struct disasm *disasm)
{
	const struct page_code code = {
		.env = p->env,
		.o = p->o,
		.disasm = disasm,
		.prog = &h->prog,
		.heat = &h->heat,
		.xlated = h->instead || !h->heat.how ? &h->xlated : NULL,
		.instead = h->instead,
	};

	page_code_write(&code);
}

static void page_codes_put(struct page *p)
{
	struct disasm *disasm = NULL;
	struct err why = { 0 };

	if (disasm_open(&disasm, jited_machine(p->env), &why))
		report_unread(p->env->report, &why);
	for (size_t i = 0; i < p->n && !out_dead(p->o); i++)
		page_code_put(p, p->heats[p->order[i]], disasm);
	disasm_close(&disasm);
}

/* The programs without samples, which the page has with their translated code. */
static void others_find(struct page *p)
{
	const struct report_samples *s = p->samples;
	struct err why = { 0 };
	const uint32_t *ids;
	uint32_t *others;
	size_t n;

	if (select_all(p->env, &kind_prog, &ids, &n, &why))
		return;
	p->others = others = arena_array(p->env->keep, n, sizeof(*others));
	for (size_t i = 0; i < n; i++) {
		const size_t at = s ? ARRAY_LOWER(s->index->n, k, s->index->id[k] < ids[i]) : 0;

		if (!s || at == s->index->n || s->index->id[at] != ids[i] || !s->samples[at])
			others[p->nothers++] = ids[i];
	}
}

static void others_put(struct page *p)
{
	html_section(p->o, "codes", "Code without samples");
	html_section_end(p->o);
	for (size_t i = 0; i < p->nothers && !out_dead(p->o); i++) {
		struct page_heat h = { 0 };
		struct err why = { 0 };
		ARENA_SCOPE(p->env->arena);

		if (prog_read(p->env, p->env->arena, p->others[i], NEED_BTF, &h.prog, &why) ||
		    xlated_read(p->env, p->others[i], &h.prog.info, &h.xlated, &why)) {
			report_unread(p->env->report, &why);
			continue;
		}
		xlated_refer(p->env, &h.xlated);
		code_info_fold(&h.xlated.src, NULL, false, p->env->arena);
		heat_init(&h.heat, &h.jited, NULL, p->env->arena);
		page_code_put(p, &h, NULL);
	}
}

/* By program of the index: is its code in the page? */
static const bool *codes_shown(const struct page *p)
{
	const struct code_index *index = p->samples->index;
	bool *ret = arena_array(p->env->keep, index->n, sizeof(*ret));

	for (size_t i = 0; i < index->n; i++)
		ret[i] = p->heats[i] || (p->nothers && !p->samples->samples[i]);
	return ret;
}

/* The columns of the report that say something. */
static const char **columns_filled(const struct report_samples *s, struct arena *a, size_t *ret_n)
{
	const struct schema *schema = s->row_schema;
	const char **ret = arena_array(a, schema->n, sizeof(*ret));

	for (size_t i = 0; i < schema->n; i++) {
		const struct field *f = &schema->fields[i];
		bool any = false;

		for (size_t k = 0; f->flags & FIELD_DEFAULT && k < s->nrows && !any; k++)
			any = field_get(schema, f, s->rows[k]).avail == AVAIL_YES;
		if (any)
			ret[(*ret_n)++] = f->name;
	}
	return ret;
}

static void time_put(struct page *p)
{
	const struct report_samples *s = p->samples;
	struct render r = { .ops = &render_html, .out = p->o, .arena = p->env->keep };
	struct view view = *s->view;

	if (!view.ncols)
		view.cols = columns_filled(s, p->env->keep, &view.ncols);
	html_section(p->o, "time", "Programs by time");
	render_begin(&r);
	render_section(&r, s->row_schema, &view);
	for (size_t i = 0; i < s->nrows; i++)
		render_record(&r, s->rows[i]);
	render_end(&r);
	out_str(p->o, "<nav>");
	for (size_t i = 0; i < p->n; i++) {
		const struct prog_rec *prog = &p->heats[p->order[i]]->prog;

		out_fmt(p->o, "<a href=\"#code-%u\">code of %u ", prog->info.id, prog->info.id);
		html_text(p->o, prog->name ? prog->name : "");
		out_str(p->o, "</a>");
	}
	out_str(p->o, "</nav>\n");
	html_section_end(p->o);
}

/* Runs another command, whose records become a table. What it cannot read is counted in @ret. */
static int page_command(struct page *p, int n, const char *const *words, struct report *ret)
{
	struct report report = { .out = p->o, .html = true };
	struct err why = { 0 };
	struct env sub;
	int err;

	env_init(&sub, p->env->opts, &report);
	env_use(&sub, p->env->machine);
	sub.borrowed = true;
	sub.depth = p->env->depth + 1;
	err = command_main(&sub, n, words, &why);
	if (err) {
		html_missing(p->o, why.msg);
		report_unread(&report, &why);
	}
	/* Refused questions are counted by the machine, and printed once for all lists. */
	str_reset(&report.refused);
	report_merge(ret, &report);
	report_release(&report);
	env_close(&sub);
	return err;
}

static void list_put(struct page *p, const struct page_list *l)
{
	html_section(p->o, l->id, l->heading);
	page_command(p, l->words[1] ? 2 : 1, l->words, p->env->report);
	html_section_end(p->o);
}

/* Runs a command with its table in memory. Returns its error, and false in *ret if there is no table. */
static int page_table_read(struct page *p, int n, const char *const *words, struct report *report, struct out *text,
			   bool *ret)
{
	struct out *page = p->o;
	int err;

	out_init(text, -1);
	p->o = text;
	err = page_command(p, n, words, report);
	p->o = page;
	*ret = text->n && memmem(text->buf, text->n, "<table>", strlen("<table>"));
	return err;
}

/* Without saved counters there is no table, and nothing is missing: they were not asked for. */
static void coverage_read_table(struct page *p)
{
	const char *const words[] = { "prog", "coverage" };
	struct report report = { 0 };
	bool any;

	page_table_read(p, ARRAY_SIZE(words), words, &report, &p->coverage, &any);
	if (any)
		report_merge(p->env->report, &report);
	else
		p->coverage.n = 0;
	report_release(&report);
}

/* False: it has no elements, and is left out. */
static bool elements_put(struct page *p, uint32_t map)
{
	const char *id = arena_fmt(p->env->keep, "%u", map);
	const char *const words[] = { "map", "dump", "id", id, "-o", "+", "--limit", "100" };
	struct report report = { 0 };
	struct out text;
	bool any;
	int err = page_table_read(p, ARRAY_SIZE(words), words, &report, &text, &any);

	/* Single elements that could not be read are marked in the table; queues and arenas are not read. */
	if (err && err != -EOPNOTSUPP && err != -EINVAL)
		report_merge(p->env->report, &report);
	if (any) {
		out_fmt(p->o, "<details>\n<summary>%s ", id);
		html_text(p->o, kind_label(p->env, &kind_map, map).name);
		out_str(p->o, ", up to 100 elements</summary>\n");
		out_bytes(p->o, text.buf, text.n);
		out_str(p->o, "</details>\n");
	}
	out_close(&text, NULL);
	report_release(&report);
	return any;
}

static void saved_maps_put(struct page *p)
{
	bool any = false;

	html_section(p->o, "contents", "Contents of maps");
	for (size_t i = 0; i < p->nmaps && !out_dead(p->o); i++)
		any |= elements_put(p, p->maps[i]);
	if (!any)
		out_str(p->o, "<p class=\"none\">none</p>\n");
	html_section_end(p->o);
}

/* The maps whose elements were saved, or refused. */
static void saved_maps_find(struct page *p)
{
	struct err why = { 0 };
	const uint32_t *ids;
	uint32_t *maps;
	size_t n;

	if (select_all(p->env, &kind_map, &ids, &n, &why))
		return;
	p->maps = maps = arena_array(p->env->keep, n, sizeof(*maps));
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(p->env->arena);
		struct blob elems;
		const int err =
			ask_silently(p->env->machine, p->env->arena, &elems, Q_MAP_ELEMS, ids[i], .text = "start");

		/* Another error is reported when they are read. */
		if (err != -ENODATA)
			maps[p->nmaps++] = ids[i];
	}
}

static void missing_put(struct page *p)
{
	const struct report *r = p->env->report;
	struct report said = report_inner(r);
	struct err lost = { 0 };
	struct out text;

	report_add_refused(&said, p->env->machine);
	out_init(&text, -1);
	if (p->samples && samples_lost_error(p->samples->how->lost, &lost))
		out_fmt(&text, "%s\n", lost.msg);
	if (r->unread_why[0]) {
		out_text(&text, r->unread_why);
		out_char(&text, '\n');
	}
	if (said.refused.n)
		out_copy(&text, said.refused.p, said.refused.n);
	if (said.unseen || r->unseen)
		out_fmt(&text, REPORT_UNSEEN "\n", err_name(said.unseen ? said.unseen : r->unseen));
	out_text(&text, r->note);
	html_section(p->o, "missing", "What is missing");
	if (text.n)
		html_lines(p->o, &text);
	else
		out_str(p->o, "<p class=\"none\">nothing known</p>\n");
	html_section_end(p->o);
	out_close(&text, NULL);
	report_release(&said);
}

static void page_put(struct page *p, bool all)
{
	html_begin(p->o, arena_fmt(p->env->arena, "bpflens report: %s", p->name));
	machine_put(p);
	saved_maps_find(p);
	coverage_read_table(p);
	if (all)
		others_find(p);
	page_contents_put(p);
	if (p->samples) {
		codes_read(p);
		time_put(p);
	}
	if (page_has_lanes(p->env))
		page_lanes_write(p->env, p->o);
	if (p->samples) {
		page_flame_write(p->samples->names, codes_shown(p), p->o);
		page_codes_put(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists) && !out_dead(p->o); i++)
		list_put(p, &lists[i]);
	if (p->coverage.n) {
		html_section(p->o, "coverage", "Coverage");
		out_bytes(p->o, p->coverage.buf, p->coverage.n);
		html_section_end(p->o);
	}
	out_close(&p->coverage, NULL);
	if (p->nmaps)
		saved_maps_put(p);
	if (p->nothers)
		others_put(p);
	missing_put(p);
	html_end(p->o);
}

int report_page_write(struct env *env, const char *name, const struct report_samples *samples, bool all,
		      const char *path, struct err *e)
{
	const char *slash = strrchr(name, '/');
	struct page p = {
		.env = env,
		.o = env->report->out,
		.path = name,
		.name = slash ? slash + 1 : name,
		.samples = samples,
	};
	struct newfile file;
	struct out out;
	int err;

	if (!path) {
		page_put(&p, all);
		return 0;
	}
	err = newfile_open(&file, path, e);
	if (!err) {
		out_init(&out, file.fd);
		p.o = &out;
		page_put(&p, all);
		err = out_close(&out, e);
		err = err ? err_in(e, "%s", path) : 0;
	}
	if (!err)
		err = newfile_finish(&file, e);
	newfile_release(&file);
	return err;
}
