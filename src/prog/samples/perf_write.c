/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/perf_write.h"

#include "base/newfile.h"
#include "cli/env.h"
#include "kernel/perf/data_write.h"
#include "prog/samples/code_at.h"
#include "prog/samples/code_events.h"
#include "prog/samples/code_holds.h"
#include "prog/samples/perf_progs.h"
#include "prog/samples/stacks.h"
#include "source/facts.h"
#include "source/file/perf_time.h"
#include "source/lives.h"
#include "source/samples.h"

#define RECORD_AUXTRACE 71

/* @write makes the whole file. */
static int perf_file_write(int fd, int (*write)(void *ctx, struct perf_writer *w, struct err *e), void *ctx,
			   struct err *e)
{
	struct perf_writer w;
	int err, end;

	perf_writer_init(&w, fd);
	err = write(ctx, &w, e);
	end = perf_write_end(&w, err ? NULL : e);
	return err ? err : end;
}

static int file_begin(struct newfile *f, const char *path, struct err *e)
{
	int err = newfile_open(f, path, e);

	return !err && f->stream ? err_usage(e, "%s is a stream, and parts of the file are written last", path) : err;
}

static int file_end(struct newfile *f, int err, struct err *e)
{
	if (!err)
		err = newfile_finish(f, e);
	newfile_release(f);
	return err;
}

#define KSYMBOL_LEN_AT 16 /* struct perf_event_header, u64 addr; u32 len */
#define IMAGE_LEN 4096	  /* of a trampoline */

struct injection {
	struct env *env;
	struct stack_names *names;
	const char *path;
	struct perf_data *in;
	struct perf_time clock;
	struct code_look look;
	uint64_t first, last; /* samples, by perf's clock */
	size_t copied;	      /* records of them */
	int cut;	      /* -EBADMSG: not to its end */
};

/* The records that can be copied: 1; 0: the end; or -errno. */
static int next_whole(struct injection *x, uint64_t *at, struct perf_data_item *ret)
{
	const int more = perf_data_next(x->in, at, ret);

	return more > 0 && ret->raw_size % sizeof(uint64_t) ? -EBADMSG : more;
}

static void times_take(struct injection *x, const struct perf_data_item *item)
{
	if (item->is_sample) {
		x->first = item->sample.time < x->first ? item->sample.time : x->first;
		x->last = item->sample.time > x->last ? item->sample.time : x->last;
		code_look_take(&x->look, &item->sample);
	} else {
		codes_seen_add(&x->clock.seen, &item->record);
	}
}

static int refuse_traces(const struct injection *x, struct err *e)
{
	return err_set(e, -EOPNOTSUPP, "%s has traces of the CPU, whose places in the file would change", x->path);
}

static int input_survey(struct injection *x, struct err *e)
{
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN;

	x->first = UINT64_MAX;
	code_look_begin(&x->look, x->env->machine);
	while ((x->cut = next_whole(x, &at, &item)) > 0) {
		if (!item.is_sample && item.record.type == RECORD_AUXTRACE)
			return refuse_traces(x, e);
		times_take(x, &item);
	}
	if (x->cut && (x->cut != -EBADMSG || x->first == UINT64_MAX))
		return perf_data_error(x->in, x->cut, e);
	if (x->first == UINT64_MAX)
		return err_set(e, -ENODATA, "there are no samples in %s", x->path);
	return perf_time_compare(&x->clock, perf_data_head(x->in), facts_lives(x->env->machine), x->first, x->last,
				 x->env->arena, x->path, e);
}

static int injectable(struct injection *x, struct err *e)
{
	size_t n;

	if (perf_data_has(x->in, PERF_DATA_AUXTRACE))
		return refuse_traces(x, e);
	if (perf_data_has(x->in, PERF_DATA_DIRECTORY)) {
		err_set(e, -EOPNOTSUPP, "%s is one of several files", x->path);
		return err_hint(e, "`perf record` without --threads writes one file");
	}
	if (!perf_data_front(x->in, &n))
		return err_set(e, -EOPNOTSUPP, "%s has parts in an order or of a kind that perf does not write",
			       x->path);
	if (perf_data_head(x->in)->trailer)
		return 0;
	return err_set(e, -EOPNOTSUPP, "%s: records other than samples have no time", x->path);
}

/* The next record that was surveyed, or NULL. */
static const struct code_seen *seen_next(struct injection *x, const struct perf_data_item *item)
{
	const bool is = !item->is_sample && codes_seen_takes(&item->record);

	return is && x->copied < x->clock.seen.n ? &x->clock.seen.v[x->copied++] : NULL;
}

/* When perf saw the code at an address go, after @time; UINT64_MAX: it did not. */
static uint64_t seen_until(const struct injection *x, uint64_t addr, uint64_t time)
{
	for (size_t i = 0; i < x->clock.seen.n; i++) {
		const struct code_seen *c = x->clock.seen.by_time[i];

		if (c->gone && c->addr == addr && c->time > time)
			return c->time;
	}
	return UINT64_MAX;
}

static bool is_inside(const struct sideband_record *r, uint64_t addr)
{
	return addr > r->ksymbol.addr && addr - r->ksymbol.addr < r->ksymbol.len;
}

/*
 * Trampolines are said to be a page long, by the kernel and by perf, and the kernel puts several images and programs
 * into a page. perf names them all after the first that it has there: an image ends where other code begins while it is
 * there.
 */
static void image_shorten(const struct injection *x, struct sideband_record *r)
{
	const struct code_index *index = x->names->index;
	const uint64_t from = r->time ? r->time : x->first, to = seen_until(x, r->ksymbol.addr, from);
	const uint64_t from_boot = perf_time_boot(&x->clock, from);
	const uint64_t to_boot = to == UINT64_MAX ? to : perf_time_boot(&x->clock, to);

	for (size_t i = 0; i < index->nplaces; i++)
		if (is_inside(r, index->place[i].addr) && index->place[i].from <= to_boot &&
		    index->place[i].to >= from_boot)
			r->ksymbol.len = (uint32_t)(index->place[i].addr - r->ksymbol.addr);
	for (size_t i = 0; i < x->clock.seen.n; i++) {
		const struct code_seen *c = x->clock.seen.by_time[i];

		if (is_inside(r, c->addr) && !c->gone && c->time && c->time <= to &&
		    seen_until(x, c->addr, c->time) >= from)
			r->ksymbol.len = (uint32_t)(c->addr - r->ksymbol.addr);
	}
}

static void record_copy(const struct injection *x, struct perf_data_item *item, struct perf_writer *w)
{
	struct sideband_record *r = &item->record;
	const size_t at = KSYMBOL_LEN_AT, size = sizeof(r->ksymbol.len);

	if (item->is_sample || r->kind != SIDEBAND_KSYMBOL || r->ksymbol.gone || r->ksymbol.len != IMAGE_LEN ||
	    str_starts(r->ksymbol.name, "bpf_prog_")) {
		perf_write_raw(w, item->raw, item->raw_size);
		return;
	}
	image_shorten(x, r);
	perf_write_raw(w, item->raw, at);
	perf_write_raw(w, &r->ksymbol.len, size);
	perf_write_raw(w, (const char *)item->raw + at + size, item->raw_size - at - size);
}

static void records_copy(struct injection *x, struct code_events *events, struct perf_writer *w)
{
	struct perf_data_item item;
	const struct code_seen *c;
	uint64_t at = PERF_DATA_BEGIN, time;

	while (next_whole(x, &at, &item) > 0 && !w->out.error) {
		time = item.is_sample ? item.sample.time : item.record.time;
		/* perf sorts parts of a file: it has them in time before the first record of that time or a later one.
		 */
		if (time)
			code_events_write(events, w, time);
		c = seen_next(x, &item);
		if (c ? !code_events_have(events, c) : item.is_sample || !perf_data_is_hold(&item.record))
			record_copy(x, &item, w);
	}
	code_events_write(events, w, UINT64_MAX);
}

#define BPF_SECTIONS (1ull << PERF_DATA_BPF_PROGS | 1ull << PERF_DATA_BPF_BTF)
static void sections_copy(struct injection *x, struct perf_writer *w)
{
	uint64_t features = BPF_SECTIONS;
	const void *section;
	size_t n;

	for (unsigned f = 0; f < PERF_DATA_FEATURES; f++)
		if (perf_data_section(x->in, f, &n))
			features |= 1ull << f;
		else if (perf_data_has(x->in, f))
			x->cut = -EBADMSG;
	perf_write_sections(w, features);
	for (unsigned f = 0; f < PERF_DATA_FEATURES; f++) {
		if (f == PERF_DATA_BPF_PROGS)
			perf_progs_write(x->env, x->names->index, x->in, w);
		section = BPF_SECTIONS >> f & 1 ? NULL : perf_data_section(x->in, f, &n);
		if (!section)
			continue;
		perf_write_section(w, f);
		perf_write_raw(w, section, n);
	}
}

static int injection_write(void *ctx, struct perf_writer *w, struct err *e)
{
	struct injection *x = ctx;
	struct code_events events;
	struct err why = { 0 };
	size_t n;
	const void *front = perf_data_front(x->in, &n);
	int err = injectable(x, e);

	if (!err)
		err = input_survey(x, e);
	if (err)
		return err;
	perf_write_front(w, x->in, front, n);
	code_events_make(&events, x->names, &x->clock, x->first, &x->look);
	records_copy(x, &events, w);
	code_events_release(&events);
	sections_copy(x, w);
	if (!x->cut)
		return 0;
	perf_data_error(x->in, x->cut, &why);
	report_unread(x->env->report, &why);
	return 0;
}

int perf_inject_fd(struct stack_names *names, struct perf_data *in, const char *name, int fd, struct err *e)
{
	struct injection x = { .env = names->env, .names = names, .path = name, .in = in };
	int err = facts_lives(x.env->machine) ? perf_file_write(fd, injection_write, &x, e) :
						err_usage(e, "--inject needs a recording, and this file is not one");

	perf_time_release(&x.clock);
	return err;
}

int perf_inject(struct stack_names *names, const char *in, const char *path, struct err *e)
{
	struct perf_data *d = NULL;
	struct newfile file;
	int err = perf_data_open(&d, in, e);

	if (err)
		return err;
	err = file_begin(&file, path, e);
	if (!err)
		err = perf_inject_fd(names, d, in, file.fd, e);
	perf_data_close(&d);
	return file_end(&file, err, e);
}

struct exporting {
	struct stack_names *names;
	const struct samples_head *how;
	struct perf_writer *w;
	struct code_look look;
	uint64_t first;
};

static void first_find(void *ctx, const struct sample *s)
{
	struct exporting *x = ctx;

	x->first = s->time < x->first ? s->time : x->first;
	code_look_take(&x->look, s);
}

static void sample_export(void *ctx, const struct sample *s)
{
	perf_write_sample(((struct exporting *)ctx)->w, s);
}

static void records_export(struct exporting *x)
{
	struct env *env = x->names->env;
	const struct perf_time same = { 0 };
	struct samples_tasks tasks = { 0 };
	struct code_events events;

	x->first = UINT64_MAX;
	code_look_begin(&x->look, env->machine);
	samples_read(env->machine, env->arena, first_find, x);
	if (x->look.end)
		perf_write_kernel(x->w, x->look.text, x->look.end - x->look.text);
	samples_read_tasks(env->machine, env->keep, &tasks);
	for (size_t i = 0; i < tasks.n; i++)
		perf_write_record(x->w, &(const struct sideband_record){
						.kind = SIDEBAND_COMM,
						.comm = { tasks.task[i].pid, tasks.task[i].tid, tasks.task[i].comm } });
	code_events_make(&events, x->names, &same, x->first, &x->look);
	code_events_write(&events, x->w, UINT64_MAX);
	code_events_release(&events);
	samples_read(env->machine, env->arena, sample_export, x);
	if (x->how->lost)
		perf_write_record(x->w, &(const struct sideband_record){
						.kind = SIDEBAND_LOST, .time = x->how->to, .lost = { x->how->lost } });
}

static int export_write(void *ctx, struct perf_writer *w, struct err *e)
{
	struct exporting *x = ctx;
	struct env *env = x->names->env;
	const struct {
		enum perf_data_feature f;
		const char *word;
	} words[] = {
		{ PERF_DATA_HOST, facts_host(env->machine) },
		{ PERF_DATA_RELEASE, facts_release(env->machine) },
		{ PERF_DATA_ARCH, facts_architecture(env->machine) },
	};
	struct perf_data_head head = { .hz = x->how->hz };
	uint64_t features = BPF_SECTIONS;

	if (env->machine->src->swapped)
		return err_set(e, -EOPNOTSUPP, "--perf-data: the recording is of a machine of the other byte order");
	memcpy(head.event, x->how->event, sizeof(head.event));
	x->w = w;
	perf_write_begin(w, &head);
	records_export(x);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		features |= words[i].word ? 1ull << words[i].f : 0;
	perf_write_sections(w, features);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].word)
			perf_write_word(w, words[i].f, words[i].word);
	perf_progs_write(env, x->names->index, NULL, w);
	return 0;
}

int perf_export(struct stack_names *names, const struct samples_head *how, const char *path, struct err *e)
{
	struct exporting x = { .names = names, .how = how };
	struct newfile file;
	int err = file_begin(&file, path, e);

	if (!err)
		err = perf_file_write(file.fd, export_write, &x, e);
	return file_end(&file, err, e);
}
