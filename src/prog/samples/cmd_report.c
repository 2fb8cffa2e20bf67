/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include "cli/columns.h"
#include "cli/command.h"
#include "info/info.h"
#include "cli/records.h"
#include "cli/select.h"
#include "prog/samples/code_at.h"
#include "code/heat.h"
#include "kernel/names.h"
#include "prog/samples/perf_samples.h"
#include "prog/samples/perf_write.h"
#include "prog/samples/report_page.h"
#include "prog/samples/stacks.h"
#include "prog/samples/text_dir.h"
#include "record/field.h"
#include "record/view.h"
#include "render/doc.h"
#include "source/counters.h"
#include "source/facts.h"
#include "source/lives.h"
#include "source/samples.h"

struct report_opts {
	const char *file, *perf;
	const char *output, *text, *inject, *perf_data;
	bool all, folded, perf_script, html;
	struct records_opts records;
};

/* A program of the recording. */
struct report_row {
	struct prog_rec prog;
	uint64_t samples;
	double percent, cpu_percent;
	uint64_t life;
	bool gone;
	uint8_t has_life, has_gone, has_runs, has_samples, has_cpu;
};
struct report_rec {
	const char *event;
	uint32_t hz;
	uint64_t ns, samples, in_programs, kernel, user, unknown, lost;
	struct perf_addrs perf;
	uint8_t has_time, has_hz, has_perf;
};
struct reported {
	struct env *env;
	const struct report_opts *o;
	struct view view;
	struct samples_head how;
	struct code_index *index;
	struct stack_names names;
	struct perf_addrs perf;
	struct report_rec sum;
	const uint32_t *id; /* of all programs, as in the index */
	size_t n;
	uint64_t *samples; /* of each; NULL: the file has none, and there is no index */
	bool counted;	   /* runs were counted: 0 means that it did not run */
};

static size_t seconds_text(const void *rec, char *buf, size_t size)
{
	return str_snprintf(buf, size, "%.1fs", (double)((const struct report_rec *)rec)->ns / NSEC_PER_SEC);
}
static const struct field report_sum_fields[] = {
	FIELD_PERF_EVENT(report_rec, .plain = ", %", .col = 2),
	FIELD_HZ(report_rec, hz, .plain = " at % Hz", .col = 3, FIELD_WHEN(report_rec, has_hz)),
	FIELD_SAMPLING_NS(report_rec, .plain = " in %", .text = seconds_text, .col = 1,
			  FIELD_WHEN(report_rec, has_time)),
	FIELD_SAMPLES_ALL(report_rec, samples, .plain = "% samples"),
	FIELD(report_rec, in_programs, "samples_programs", "samples in programs of the recording",
	      .plain = "% in programs", .line = 1),
	FIELD(report_rec, kernel, "samples_kernel", "samples elsewhere in the kernel",
	      .plain = ", % elsewhere in the kernel", .line = 1, .col = 1),
	FIELD(report_rec, user, "samples_user", "samples in user space", .plain = ", % in user space", .line = 1,
	      .col = 2),
	FIELD(report_rec, unknown, "samples_unknown", "samples in the kernel outside of known programs and symbols",
	      .plain = ", % at unknown addresses", .line = 1, .col = 3),
	FIELD_SAMPLES_LOST(report_rec, .line = 1, .col = 4),
	FIELD_IF(report_rec, perf.all, has_perf, "addresses_bpf",
		 "addresses of instructions and callers in BPF programs, known to the recording or to perf",
		 .flags = FIELD_NOPLAIN),
	FIELD_IF(report_rec, perf.resolved, has_perf, "addresses_resolved",
		 "those in a program of the recording, or in one of bpflens", .flags = FIELD_NOPLAIN),
};
static const struct schema report_sum_schema = SCHEMA("report", report_rec, report_sum_fields, .indent = "");

static const struct field report_fields[] = {
	FIELD(report_row, prog.info.id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG,
	      .flags = FIELD_DEFAULT),
	FIELD(report_row, prog.type, "type", "type of the program", .among = &names_prog_type, .role = ROLE_KIND,
	      .also = "prog_type", .flags = FIELD_DEFAULT),
	FIELD(report_row, prog.name, "name", "name of the program", .role = ROLE_NAME, .also = "prog_name",
	      .flags = FIELD_DEFAULT),
	FIELD_AS(report_row, prog.info.tag, FT_BYTES, "tag", "hash of the program's instructions"),
	FIELD_IF(report_row, samples, has_samples, "samples", "samples in it", .flags = FIELD_DEFAULT),
	FIELD_IF(report_row, percent, has_samples, "percent",
		 "share of the program's samples; for a program, of all samples", .unit = FU_PERCENT,
		 .flags = FIELD_DEFAULT),
	FIELD_IF(report_row, cpu_percent, has_cpu, "cpu_percent", "share of one CPU, by samples", .unit = FU_PERCENT,
		 .flags = FIELD_DEFAULT),
	FIELD_AS(report_row, prog.loaded_at, FT_TIME, "loaded_at", "when it was loaded", .flags = FIELD_DEFAULT,
		 .drop = 4, FIELD_WHEN(report_row, prog.has_time)),
	FIELD_IF(report_row, life, has_life, "life_ns", "lifetime, at most until the end of the recording",
		 .unit = FU_NSEC, .flags = FIELD_DEFAULT),
	FIELD_IF(report_row, gone, has_gone, "gone", "it was unloaded before the recording ended"),
	FIELD_RUN_CNT(report_row, prog.info.run_cnt, .flags = FIELD_DEFAULT, .drop = 2,
		      FIELD_WHEN(report_row, has_runs)),
	FIELD_RUN_TIME(report_row, prog.info.run_time_ns, .flags = FIELD_DEFAULT, .drop = 3,
		       FIELD_WHEN(report_row, has_runs)),
	FIELD_IF(report_row, prog.loader, prog.has_loader, "loaded_by", "command that loaded it", .role = ROLE_OWNER,
		 .flags = FIELD_DEFAULT, .drop = 1),
	FIELD_IF(report_row, prog.loader_pid, prog.has_loader_pid, "loaded_by_pid", "process that loaded it",
		 .unit = FU_PID),
	FIELD(report_row, prog.info.created_by_uid, "uid", "user who loaded it"),
};
const struct schema report_schema = SCHEMA("report_program", report_row, report_fields);
static void report_sample(void *ctx, const struct sample *s)
{
	struct reported *r = ctx;
	const struct code_place *p;

	r->sum.samples++;
	if (s->user) {
		r->sum.user++;
		return;
	}
	p = code_at(r->index, s->ip, s->time);
	if (p && !p->code) {
		r->samples[p->known]++;
		r->sum.in_programs++;
	} else if (stack_name(&r->names, s->ip, s->time).name) {
		r->sum.kernel++;
	} else {
		r->sum.unknown++;
	}
}

static void life_read(const struct reported *r, struct report_row *ret)
{
	const struct lives *lives = facts_lives(r->env->machine);
	const struct life *l = facts_life(r->env->machine, ret->prog.info.id);
	/* The recorder does not see the load of a program that was there before. */
	const uint64_t loaded = l && l->loaded ? l->loaded : ret->prog.info.load_time;
	/* Samples may end earlier: those of perf. */
	const uint64_t end = !l ? 0 : l->gone ? l->gone_at : lives->to;

	/* Run counts are read at the end, of programs that are still loaded. */
	ret->has_runs =
		(l && (l->gone || l->open)) || (!r->counted && !ret->prog.info.run_cnt) ? AVAIL_UNKNOWN : AVAIL_YES;
	if (!l)
		return;
	ret->gone = l->gone;
	ret->has_gone = l->open ? AVAIL_UNKNOWN : AVAIL_YES;
	ret->has_life = loaded && end > loaded ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->life = end - loaded;
}

static bool row_read(const struct reported *r, size_t i, struct report_row *ret)
{
	struct err why = { 0 };
	int err = prog_read(r->env, r->env->keep, r->id[i], NEED_BTF, &ret->prog, &why);

	if (err) {
		report_unread(r->env->report, &why);
		return false;
	}
	life_read(r, ret);
	if (!r->samples)
		return true;
	ret->has_samples = AVAIL_YES;
	ret->samples = r->samples[i];
	ret->percent = hot_percent(ret->samples, r->sum.samples);
	ret->has_cpu = r->sum.ns && r->sum.hz ? AVAIL_YES : AVAIL_UNKNOWN;
	if (ret->has_cpu == AVAIL_YES)
		ret->cpu_percent = (double)ret->samples * 100 / r->sum.hz / ((double)r->sum.ns / NSEC_PER_SEC);
	return true;
}

static bool is_shown(const struct reported *r, size_t i)
{
	const struct life *l = facts_life(r->env->machine, r->id[i]);

	if (r->o->all)
		return true;
	if (r->samples)
		return r->samples[i] || r->index->run_cnt[i];
	return !facts_lives(r->env->machine) || (l && (l->gone || l->how != LIFE_BEFORE));
}

static const struct report_row **rows_read(const struct reported *r, size_t *ret_n)
{
	const struct report_row **rows = arena_array(r->env->keep, r->n, sizeof(*rows));
	struct report_row *all = arena_array(r->env->keep, r->n, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (is_shown(r, i) && row_read(r, i, &all[n]) && view_match(&r->view, &report_schema, &all[n])) {
			rows[n] = &all[n];
			n++;
		}
	view_sort(&r->view, &report_schema, (const void **)rows, n);
	*ret_n = n;
	return rows;
}

static void programs_write(const struct reported *r, struct doc *d)
{
	const size_t unread = d->unread;
	size_t n;
	const struct report_row **rows = rows_read(r, &n);

	doc_text(d, "\n");
	if (doc_is_text(d))
		records_table(r->env, &r->o->records, &report_schema, &r->view, (const void **)rows, n,
			      r->env->report->out);
	doc_list(d, "programs");
	for (size_t i = 0; i < n && !doc_is_text(d); i++)
		doc_record(d, &report_schema, rows[i]);
	/* What could not be read was already reported, and the run counts of unloaded programs are always unknown. */
	d->unread = unread;
	doc_end(d);
}

static void report_lost_report(const struct reported *r)
{
	struct err why = { 0 };

	if (samples_lost_error(r->how.lost, &why))
		report_unread(r->env->report, &why);
}

static void samples_count(struct reported *r)
{
	const struct samples_head *how = &r->how;
	struct env *env = r->env;

	r->id = r->index->id;
	r->n = r->index->n;
	r->samples = arena_array(env->keep, r->n, sizeof(*r->samples));
	r->sum = (struct report_rec){ .event = how->event, .hz = how->hz, .lost = how->lost, .perf = r->perf };
	r->sum.has_hz = how->hz ? AVAIL_YES : AVAIL_NO;
	r->sum.has_perf = r->o->perf ? AVAIL_YES : AVAIL_NO;
	if (how->to > how->from)
		r->sum.ns = how->to - how->from;
	r->sum.has_time = r->sum.ns ? AVAIL_YES : AVAIL_UNKNOWN;
	samples_read(env->machine, env->arena, report_sample, r);
}

static void report_write(struct reported *r, const struct schema *s, const void *head)
{
	struct env *env = r->env;
	struct doc d;

	env_doc(env, &d);
	d.folds = true;
	doc_object(&d, NULL);
	doc_fields(&d, s, head);
	programs_write(r, &d);
	doc_end(&d);
	env_doc_end(env, &d);
}

static int page_write(struct reported *r, const char *name, struct err *e)
{
	struct report_samples s = {
		.how = &r->how,
		.index = r->index,
		.names = &r->names,
		.sum_schema = &report_sum_schema,
		.row_schema = &report_schema,
		.sum = &r->sum,
		.view = &r->view,
	};

	s.samples = r->samples;
	s.all = r->sum.samples;
	s.rows = (const void *const *)rows_read(r, &s.nrows);
	return report_page_write(r->env, name, &s, r->o->all, r->o->output, e);
}

/* Without samples: what the file is, and its programs. In a recording they are those that came or went. */
static int overview_write(struct reported *r, const char *name, struct err *e)
{
	struct env *env = r->env;
	int err = select_all(env, &kind_prog, &r->id, &r->n, e);
	const void *head;

	if (err)
		return err;
	head = info_read(env, name);
	env->report->note[0] = '\0'; /* it is in the record */
	report_write(r, &info_schema, head);
	return 0;
}

#define COLUMNS_FEW "id,type,name,loaded_at,run_cnt,run_time_ns"
#define COLUMNS_LIFE "id,type,name,loaded_at,life_ns,gone,loaded_by"
/* Those of samples would be empty without any. */
static int view_read(struct reported *r, bool samples, struct err *e)
{
	const struct records_opts *o = &r->o->records;
	const char *columns = o->columns, *sort = o->sort;
	const char *usual = facts_lives(r->env->machine) ? COLUMNS_LIFE : COLUMNS_FEW;
	int err;

	r->counted = facts_counts_runs(r->env->machine) > 0 || counters_end(r->env->machine);
	if (samples && !sort)
		sort = "-samples";
	if (!samples && (!columns || *columns == '+'))
		columns = arena_fmt(r->env->keep, "%s%s%s", usual, columns ? "," : "", columns ? columns + 1 : "");
	err = records_view(r->env, &r->view, &report_schema, o, columns, sort, e);
	if (!samples && !o->columns)
		r->view.nusual = r->view.ncols;
	return err;
}

static int samples_write(struct reported *r, const char *name, struct err *e)
{
	struct env *env = r->env;
	int err = code_index_new(env, &r->index, e);

	if (err)
		return err;
	stack_names_init(&r->names, env, r->index);
	if (r->o->perf_data)
		return perf_export(&r->names, &r->how, r->o->perf_data, e);
	if (r->o->perf)
		r->perf = perf_samples_count(env, r->index);
	/* The machine counts refused questions, so results are ignored here. */
	if (r->o->folded) {
		stacks_put_folded(&r->names);
	} else if (r->o->perf_script) {
		stacks_perf_script(&r->names, &r->how);
	} else {
		samples_count(r);
		if (r->o->html)
			err = page_write(r, name, e);
		else
			report_write(r, &report_sum_schema, &r->sum);
	}
	report_lost_report(r);
	return err;
}

static int report_inject(struct reported *r, struct err *e)
{
	int err = code_index_new(r->env, &r->index, e);

	if (err)
		return err;
	stack_names_init(&r->names, r->env, r->index);
	return perf_inject(&r->names, r->o->perf, r->o->inject, e);
}

static int report_of(struct env *env, const struct report_opts *o, const char *name, struct err *e)
{
	struct reported r = { .env = env, .o = o };
	int err, head;

	if (o->inject)
		return report_inject(&r, e);
	err = o->perf ? perf_samples_use(env, o->perf, e) : 0;
	if (err)
		return err;
	head = samples_read_head(env->machine, env->arena, &r.how);
	err = view_read(&r, !head, e);
	if (err)
		return err;
	if (!head)
		return samples_write(&r, name, e);
	if (head != -ENODATA || o->folded || o->perf_script || o->perf_data)
		return samples_head_error(head, e);
	return o->html ? report_page_write(env, name, NULL, o->all, o->output, e) : overview_write(&r, name, e);
}

static int report_run(struct env *env, const void *opts, struct err *e)
{
	const struct report_opts *o = opts;
	const char *file = o->file ? o->file : env->opts->from;
	struct env other;
	int err = 0;

	if (o->records.list_columns)
		return columns_print(env, &report_schema, NULL, e);
	if (!file)
		err = err_usage(e, "report needs a recording");
	else if (o->file && env->opts->nfroms)
		err = err_usage(e, "two files: name one, either with --from or without");
	else if ((o->folded || o->perf_script) && env->opts->json)
		err = err_usage(e, "'%s' is text for other tools, and not compatible with JSON output",
				o->folded ? "--folded" : "--perf-script");
	else if ((o->inject || o->perf_data) && env->opts->json)
		err = err_usage(e, "'%s' prints nothing, and is not compatible with JSON output",
				o->inject ? "--inject" : "--perf-data");
	else if (o->inject && !o->perf)
		err = err_usage(e, "'--inject' needs '--perf', the file to write again");
	else if (o->output && !o->html)
		err = err_usage(e, "'--output' needs '--html'");
	else if (o->html)
		err = env_check_page(env, o->output, e);
	if (!err)
		err = env_other(env, file, &other, e);
	if (err)
		return err;
	err = o->text ? text_dir_write(&other, o->text, env->opts->at, e) : report_of(&other, o, file, e);
	env_other_end(&other);
	return err;
}

static const struct arg report_args[] = {
	ARG("FILE", ARG_PATH, struct report_opts, file, "a recording, or - for standard input",
	    .flags = ARG_POSITIONAL),
	ARG("--perf", ARG_PATH, struct report_opts, perf,
	    "use the samples that `perf record -a` took meanwhile instead of its own", .metavar = "PERF.DATA"),
	ARG("--all", ARG_FLAG, struct report_opts, all,
	    "also programs without samples and without counted runs; without samples, also those that were there all the time; with --html also their code"),
	ARG("--folded", ARG_FLAG, struct report_opts, folded, "instead, stacks and their counts, for flame graphs",
	    .rejects = "--all --perf-script"),
	ARG("--perf-script", ARG_FLAG, struct report_opts, perf_script,
	    "instead, samples in the format of `perf script`", .rejects = "--all"),
	ARG("--html", ARG_FLAG, struct report_opts, html,
	    "instead, a single page for a browser, with a flame graph, the code of programs with samples, the objects and attachments",
	    .rejects = "--folded --perf-script"),
	ARG("--inject", ARG_PATH, struct report_opts, inject,
	    "instead, write the file of --perf again, with the programs of the recording for perf to name",
	    .metavar = "PATH", .output = true, .rejects = "--all --folded --perf-script --html"),
	ARG("--perf-data", ARG_PATH, struct report_opts, perf_data,
	    "instead, write the recording's own samples as a file of perf", .metavar = "PATH", .output = true,
	    .rejects = "--perf --all --folded --perf-script --html --inject"),
	ARG("--output", ARG_PATH, struct report_opts, output,
	    "output file of that page, which appears when it is complete", .metavar = "PATH", .output = true),
	ARG("--text", ARG_PATH, struct report_opts, text,
	    "instead, write the machine code and how it changed into this new directory, for decoders of hardware traces; with the global --at that of a moment, also as an ELF file",
	    .metavar = "DIR", .output = true,
	    .rejects = "--all --perf --folded --perf-script --html --inject --perf-data"),
	RECORDS_ARGS(struct report_opts, records),
	RECORDS_SINCE(struct report_opts, records),
};
static const struct schema *const report_records[] = { &report_sum_schema, &info_schema, &report_schema,
						       &text_dir_schema, NULL };
static const char *const report_lists[] = { "programs", NULL };
static const struct nested report_nested = { report_records, report_lists };
static const struct schema *const report_parts[] = { &report_sum_schema, &info_schema, &text_dir_schema, NULL };

const struct command command_report = {
	.name = "report",
	.summary = "show which programs took the time of a recording",
	.help = "Lists the programs with samples, those with most samples first, including programs that were "
		"unloaded before the end; in a recording without samples, what it is, and the programs that were "
		"loaded or unloaded meanwhile. Other samples are counted: elsewhere in the kernel, in user space, and at "
		"unknown addresses.\nThe kernel reuses the address of an unloaded program; a sample belongs to the "
		"program that was loaded there most recently before it.",
	.schema = &report_schema,
	.parts = report_parts,
	.nested = &report_nested,
	.example = NULL,
	ARGS(report_args, struct report_opts),
	.flags = CMD_READ | CMD_NOSOURCE,
	.run = report_run,
};
