/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/perf.h"

#include <time.h>

#include "host/elf/symbols.h"
#include "kernel/perf/data.h"
#include "source/lives.h"
#include "source/file/perf_time.h"
#include "source/samples.h"
#include "source/source.h"

#define PIECE 1024 /* samples of an answer */

struct at {
	uint64_t time, place;
}; /* of a sample: time by perf's clock, offset in the file */
struct task_event {
	uint64_t time;
	size_t nr; /* keeps the order of samples with equal times */
	uint32_t tid, pid, parent;
	const char *comm; /* NULL: its parent's */
};
struct perf_span {
	uint64_t addr, end;
	const char *name;
};

struct perf_source {
	struct source source;
	struct source *inner;
	struct arena *arena;
	struct perf_data *file;
	struct lives lives;
	struct perf_time time;
	struct at *at; /* by time */
	size_t n, cap;
	struct task_event *task;
	size_t ntasks, tasks_cap;
	struct perf_span *code; /* of BPF programs, by address, not nested */
	size_t ncode, code_cap;
	struct perf_span *loaded; /* of the programs loaded when the recording ends, by address */
	size_t nloaded;
	uint64_t lost;
	int cut; /* -errno: the file could not be read to its end */
	struct str head, tasks, piece;
};

static void task_add(struct perf_source *b, const struct sideband_record *r)
{
	const bool fork = r->kind == SIDEBAND_FORK;

	ARRAY_MORE(b->task, b->ntasks, b->tasks_cap);
	b->task[b->ntasks] = (struct task_event){
		.time = r->time,
		.nr = b->ntasks,
		.tid = fork ? r->task.tid : r->comm.tid,
		.pid = fork ? r->task.pid : r->comm.pid,
		.parent = fork ? r->task.parent_tid : 0,
		.comm = fork ? NULL : arena_str(b->arena, r->comm.name, SIZE_MAX),
	};
	b->ntasks++;
}

/* Trampolines and dispatchers are BPF code, but belong to no program. */
static void code_add(struct perf_source *b, const struct sideband_record *r)
{
	if (r->ksymbol.gone || !str_starts(r->ksymbol.name, "bpf_prog_") ||
	    r->ksymbol.addr + r->ksymbol.len <= r->ksymbol.addr)
		return;
	ARRAY_MORE(b->code, b->ncode, b->code_cap);
	b->code[b->ncode++] = (struct perf_span){
		r->ksymbol.addr,
		r->ksymbol.addr + r->ksymbol.len,
		arena_str(b->arena, r->ksymbol.name, SIZE_MAX),
	};
}

static void record_take(struct perf_source *b, const struct sideband_record *r)
{
	if (r->kind == SIDEBAND_LOST)
		b->lost += r->lost.count;
	else if (r->kind == SIDEBAND_COMM || r->kind == SIDEBAND_FORK)
		task_add(b, r);
	else if (r->kind == SIDEBAND_KSYMBOL && !perf_data_is_hold(r))
		code_add(b, r);
	codes_seen_add(&b->time.seen, r);
}

static int perf_file_read(struct perf_source *b, struct err *e)
{
	struct perf_data_item item;
	uint64_t at = PERF_DATA_BEGIN, place;
	int more;

	while (place = at, (more = perf_data_next(b->file, &at, &item)) > 0) {
		if (!item.is_sample) {
			record_take(b, &item.record);
			continue;
		}
		ARRAY_MORE(b->at, b->n, b->cap);
		b->at[b->n++] = (struct at){ item.sample.time, place };
	}
	b->cut = more;
	return more && (!b->n || more != -EBADMSG) ? perf_data_error(b->file, more, e) : 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct at *a = pa, *b = pb;

	return NUM_CMP(a->time, b->time) ?: NUM_CMP(a->place, b->place);
}

static int by_task_time(const void *pa, const void *pb)
{
	const struct task_event *a = pa, *b = pb;

	return NUM_CMP(a->time, b->time) ?: NUM_CMP(a->nr, b->nr);
}

static int by_span(const void *pa, const void *pb)
{
	const struct perf_span *a = pa, *b = pb;

	return NUM_CMP(a->addr, b->addr);
}

/*
 * For earlier programs, perf has the tags of functions where the kernel's symbols have that of the program: the rest
 * must be equal.
 */
static bool name_same(const char *a, const char *b)
{
	const size_t rest = sizeof("bpf_prog_0123456789abcdef") - 1;

	return strlen(a) >= rest && strlen(b) >= rest && str_starts(b, "bpf_prog_") && !strcmp(a + rest, b + rest);
}

static void loaded_find(struct perf_source *b)
{
	struct symbols *symbols;
	struct blob text;

	if (source_ask(b->inner, &(const struct asked){ Q_KALLSYMS }, b->arena, &text))
		return;
	symbols = symbols_parse((const char *)text.p, text.n, b->arena);
	b->loaded = arena_array(b->arena, b->ncode, sizeof(*b->loaded));
	for (size_t i = 0; i < b->ncode; i++) {
		const struct symbol *found = symbols_find(symbols, b->code[i].addr);

		if (found && found->addr == b->code[i].addr && name_same(b->code[i].name, found->name))
			b->loaded[b->nloaded++] = (struct perf_span){ b->code[i].addr, b->code[i].end, found->name };
	}
}

/* Joins nested spans. */
static void code_join(struct perf_source *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->ncode; i++) {
		if (!n || b->code[i].addr > b->code[n - 1].end)
			b->code[n++] = b->code[i];
		else if (b->code[i].end > b->code[n - 1].end)
			b->code[n - 1].end = b->code[i].end;
	}
	b->ncode = n;
}

/* A thread has its last name, or that of its parent if it has none. */
static void tasks_write(struct perf_source *b)
{
	struct hash last;

	hash_init(&last, b->arena);
	samples_task_put(&b->tasks, 0, 0, "swapper");
	if (b->ntasks)
		qsort(b->task, b->ntasks, sizeof(*b->task), by_task_time);
	for (size_t i = 0; i < b->ntasks; i++) {
		struct task_event *t = &b->task[i];
		const struct task_event *parent = t->comm ? NULL : hash_get(&last, t->parent);

		if (!t->comm)
			t->comm = parent ? parent->comm : NULL;
		if (t->tid && t->comm)
			*hash_put(&last, t->tid) = t;
	}
	for (size_t i = 0; i < b->ntasks; i++)
		if (b->task[i].comm && hash_get(&last, b->task[i].tid) == &b->task[i])
			samples_task_put(&b->tasks, b->task[i].tid, b->task[i].pid, b->task[i].comm);
}

static void head_write(struct perf_source *b)
{
	const struct perf_data_head *h = perf_data_head(b->file);
	struct samples_head how = {
		.hz = h->hz,
		.lost = b->lost,
		.from = perf_time_boot(&b->time, b->at[0].time),
		.to = perf_time_boot(&b->time, b->at[b->n - 1].time),
	};

	memcpy(how.event, h->event, sizeof(how.event));
	for (char *p = how.event; *p; p++)
		*p = *p == ' ' ? '_' : *p;
	samples_head_put(&b->head, &how);
}

static int spans_read(struct perf_source *b, const char *path, struct err *e)
{
	struct blob blob;
	int err = source_ask(b->inner, &(const struct asked){ Q_LIVES }, b->arena, &blob);

	if (err == -ENODATA)
		return err_usage(e, "--perf needs a recording, and this file is not one");
	if (err || lives_parse(&b->lives, &blob, b->arena))
		return err_set(e, -EBADMSG, "--perf: the recording's list of programs is damaged");
	err = perf_data_open(&b->file, path, e);
	if (!err)
		err = perf_file_read(b, e);
	if (!err && !b->n)
		err = err_set(e, -ENODATA, "there are no samples in %s", path);
	if (err)
		return err;
	qsort(b->at, b->n, sizeof(*b->at), by_time);
	err = perf_time_compare(&b->time, perf_data_head(b->file), &b->lives, b->at[0].time, b->at[b->n - 1].time,
				b->arena, path, e);
	if (err)
		return err;
	if (b->ncode)
		qsort(b->code, b->ncode, sizeof(*b->code), by_span);
	loaded_find(b);
	code_join(b);
	tasks_write(b);
	head_write(b);
	return 0;
}

static int piece_get(struct perf_source *b, uint64_t nr)
{
	struct perf_data_item item;

	if (nr > (b->n - 1) / PIECE)
		return -ENODATA;
	str_reset(&b->piece);
	for (size_t i = (size_t)nr * PIECE; i < b->n && i < ((size_t)nr + 1) * PIECE; i++) {
		uint64_t at = b->at[i].place;

		/* It was read successfully before. */
		if (perf_data_next(b->file, &at, &item) != 1 || !item.is_sample)
			return -EBADMSG;
		item.sample.time = perf_time_boot(&b->time, item.sample.time);
		samples_put(&b->piece, &item.sample);
	}
	return 0;
}

static int perf_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct perf_source *b = (struct perf_source *)s;
	const struct str *text;
	int err = 0;

	switch (q->q) {
	case Q_SAMPLING:
		text = &b->head;
		break;
	case Q_SAMPLED_TASKS:
		text = &b->tasks;
		break;
	case Q_SAMPLES:
		err = piece_get(b, q->id);
		text = &b->piece;
		break;
	default:
		return source_ask(b->inner, q, a, ret);
	}
	if (!err)
		*ret = (struct blob){ arena_dup(a, text->p, text->n), text->n };
	return err;
}

static void perf_free(struct perf_source *b)
{
	perf_data_close(&b->file);
	perf_time_release(&b->time);
	free(b->at);
	free(b->task);
	free(b->code);
	str_release(&b->head);
	str_release(&b->tasks);
	str_release(&b->piece);
	arena_free(b->arena);
	free(b);
}

static void perf_close(struct source *s)
{
	struct perf_source *b = (struct perf_source *)s;

	source_close(&b->inner);
	perf_free(b);
}

static const struct source_ops perf_ops = { .name = "perf", .saved = true, .get = perf_get, .close = perf_close };

int source_perf(struct source **ret, struct source *inner, const char *path, struct err *e)
{
	struct perf_source *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return err_sys(e, -ENOMEM, "--perf");
	b->source = (struct source){ &perf_ops, inner->swapped };
	b->arena = arena_new();
	b->inner = inner;
	err = spans_read(b, path, e);
	if (err)
		perf_free(b);
	else
		*ret = &b->source;
	return err;
}

const char *source_perf_symbol(const struct source *s, uint64_t addr, uint64_t *ret_off)
{
	const struct perf_source *b = (const struct perf_source *)s;
	size_t i;

	if (s->ops != &perf_ops)
		return NULL;
	i = ARRAY_LOWER(b->nloaded, k, b->loaded[k].addr <= addr);
	if (!i || addr >= b->loaded[i - 1].end)
		return NULL;
	*ret_off = addr - b->loaded[i - 1].addr;
	return b->loaded[i - 1].name;
}

bool source_perf_is_code(const struct source *s, uint64_t addr)
{
	const struct perf_source *b = (const struct perf_source *)s;
	size_t i;

	if (s->ops != &perf_ops)
		return false;
	i = ARRAY_LOWER(b->ncode, k, b->code[k].addr <= addr);
	return i && addr < b->code[i - 1].end;
}

bool source_perf_cut(const struct source *s, struct err *ret)
{
	const struct perf_source *b = (const struct perf_source *)s;

	if (s->ops != &perf_ops || !b->cut)
		return false;
	perf_data_error(b->file, b->cut, ret);
	return true;
}
