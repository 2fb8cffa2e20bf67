/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/code_log.h"

#include <linux/perf_event.h>

#include "kernel/clock.h"
#include "kernel/perf/sideband.h"
#include "own/own.h"
#include "recording/catalog.h"
#include "recording/poke_log.h"
#include "source/file/gzip.h"
#include "source/questions.h"
#include "source/source.h"
#include "source/file/recorder.h"

#define TEXT_MAX (1u << 20) /* no trampoline is longer */
/*
 * Within this time two are the same: each of our programs that watches system calls copies a classic filter, and the
 * removal of a symbol may be announced twice.
 */
#define TWICE NSEC_PER_MSEC
#define PROG_PREFIX "bpf_prog_"
#define SILENT_PREFIX "bpf_dispatcher_" /* the kernel writes to it without an announcement */
#define CLASSIC_PREFIX "classic:"

struct logged {
	struct code code;
	bool of_prog;	/* a function of a program, by its name */
	bool earlier;	/* also in an earlier file */
	uint32_t crc32; /* of the bytes, once they were read */
	uint32_t tid;
	uint64_t read_at;   /* ns since boot */
	unsigned char *now; /* the bytes read last; NULL: not kept */
	char comm[16], name[];
};

void code_log_init(struct code_log *log, struct source *file, struct own *own)
{
	*log = (struct code_log){ .file = file, .own = own, .arena = arena_new(), .mem_error = 1 };
	hash_init(&log->here, log->arena);
}

static void logged_free(struct logged *l)
{
	free(l->now);
	free(l);
}

void code_log_release(struct code_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		logged_free(log->all[i]);
	free(log->all);
	if (log->arena)
		arena_free(log->arena);
	kmem_close(&log->mem);
	str_release(&log->text);
	*log = (struct code_log){ 0 };
}

static bool is_classic(const struct logged *l)
{
	return str_starts(l->name, CLASSIC_PREFIX);
}

void code_log_next(struct code_log *log, struct source *file)
{
	struct arena *before = log->arena;
	size_t kept = 0;

	log->arena = arena_new();
	hash_init(&log->here, log->arena);
	for (size_t i = 0; i < log->n; i++) {
		struct logged *l = log->all[i];

		if (l->code.gone || (is_classic(l) && !l->code.has_text)) {
			logged_free(l);
			continue;
		}
		l->earlier = !l->of_prog;
		l->code.has_text = false;
		if (!l->of_prog && !is_classic(l))
			*hash_put(&log->here, l->code.addr) = l;
		log->all[kept++] = l;
	}
	arena_free(before);
	log->file = file;
	log->n = kept;
	log->looked = log->texts = 0;
	log->listed = 0;
}

static struct logged *logged_add(struct code_log *log, const struct code *c, const char *name)
{
	const size_t n = strlen(name) + 1;
	struct logged *l = array_resize(NULL, sizeof(*l) + n, 1);

	*l = (struct logged){ .code = *c };
	memcpy(l->name, name, n);
	l->code.name = l->name;
	log->all = array_more(log->all, log->n, &log->cap, sizeof(struct logged *));
	return log->all[log->n++] = l;
}

static void code_add(struct code_log *log, const struct sideband_record *r)
{
	const struct code c = {
		.addr = r->ksymbol.addr,
		.len = r->ksymbol.len,
		.from = r->time,
		.pid = r->pid == UINT32_MAX ? 0 : r->pid,
	};
	struct logged *l = logged_add(log, &c, r->ksymbol.name);

	l->tid = r->tid;
	l->of_prog = str_starts(l->name, PROG_PREFIX);
	if (l->of_prog)
		return;
	*hash_put(&log->here, c.addr) = l;
	log->changes++;
}

static void code_remove(struct code_log *log, const struct sideband_record *r)
{
	struct logged *l = hash_get(&log->here, r->ksymbol.addr);

	/* For functions of programs the catalog is used. */
	if (str_starts(r->ksymbol.name, PROG_PREFIX))
		return;
	/* Linux 7.2 announces the removal of a trampoline twice. */
	if (l && l->code.gone && l->code.gone_at + TWICE > r->time && !strcmp(l->name, r->ksymbol.name))
		return;
	if (!l || l->code.gone || strcmp(l->name, r->ksymbol.name)) {
		/*
		 * A trampoline is replaced for each further program that a function calls: the load of our first one
		 * was not heard, but its end is.
		 */
		if (own_trampoline(log->own, r->ksymbol.name))
			return;
		l = logged_add(log, &(const struct code){ .addr = r->ksymbol.addr, .len = r->ksymbol.len },
			       r->ksymbol.name);
		*hash_put(&log->here, r->ksymbol.addr) = l;
	}
	l->code.gone = true;
	l->code.gone_at = r->time;
	log->changes++;
}

/* Set the program of the functions that the same thread announced just before. */
static void funcs_assign(struct code_log *log, const struct sideband_record *r)
{
	for (size_t i = log->n;
	     i-- > 0 && !(log->all[i]->of_prog && log->all[i]->code.prog && log->all[i]->tid == r->tid);)
		if (log->all[i]->of_prog && log->all[i]->tid == r->tid)
			log->all[i]->code.prog = r->prog.id;
}

void code_log_note(struct code_log *log, const struct sideband_record *r)
{
	if (r->pid == (uint32_t)getpid())
		return;
	if (r->kind == SIDEBAND_KSYMBOL && r->ksymbol.gone)
		code_remove(log, r);
	else if (r->kind == SIDEBAND_KSYMBOL)
		code_add(log, r);
	else if (r->kind == SIDEBAND_PROG && r->prog.event == PERF_BPF_EVENT_PROG_LOAD)
		funcs_assign(log, r);
}

static void log_text_put(struct code_log *log, struct logged *l, const void *p, size_t n)
{
	struct code *c = &l->code;

	l->crc32 = gzip_crc32(0, p, n);
	c->has_text = true;
	c->text = log->texts++;
	source_record_again(log->file, &(const struct asked){ Q_CODE, c->text }, p, n);
	log->changes++;
}

static bool is_twice(const struct code_log *log, const struct code *c, uint32_t tid)
{
	for (size_t i = log->n; i-- > 0 && log->all[i]->code.from + TWICE > c->from;) {
		const struct logged *l = log->all[i];

		if (l->code.addr == c->addr && l->code.len == c->len && l->tid == tid && is_classic(l))
			return true;
	}
	return false;
}

void code_log_classic(struct code_log *log, const struct captured *c)
{
	static const char *const names[] = {
		[CAPTURED_SOCKET] = CLASSIC_PREFIX "socket",
		[CAPTURED_REUSEPORT] = CLASSIC_PREFIX "reuseport",
		[CAPTURED_SECCOMP] = CLASSIC_PREFIX "seccomp",
	};
	struct code code = { .from = c->time, .pid = c->pid };
	struct logged *l;

	if (c->array[CAPTURED_JITED_KSYMS].n >= sizeof(code.addr) &&
	    c->array[CAPTURED_JITED_FUNC_LENS].n >= sizeof(code.len)) {
		memcpy(&code.addr, c->array[CAPTURED_JITED_KSYMS].p, sizeof(code.addr));
		memcpy(&code.len, c->array[CAPTURED_JITED_FUNC_LENS].p, sizeof(code.len));
	}
	if (is_twice(log, &code, c->tid))
		return;
	log->classic++;
	/* It is interpreted. */
	if (!code.len && !c->missing)
		return;
	l = logged_add(log, &code, names[c->classic]);
	l->tid = c->tid;
	memcpy(l->comm, c->comm, sizeof(l->comm) - 1);
	l->code.comm = l->comm;
	if (!c->missing)
		log_text_put(log, l, c->array[CAPTURED_JITED].p, c->array[CAPTURED_JITED].n);
}

static bool mem_ready(struct code_log *log)
{
	if (log->mem_error > 0)
		log->mem_error = kmem_open(&log->mem, log->own, -1);
	return !log->mem_error;
}

static void log_text_keep(struct code_log *log, struct logged *l)
{
	log_text_put(log, l, log->text.p, l->code.len);
	if (!str_starts(l->name, SILENT_PREFIX))
		return;
	l->now = array_resize(l->now, l->code.len, 1);
	memcpy(l->now, log->text.p, l->code.len);
}

void code_log_look(struct code_log *log, void (*listen)(void *ctx), void *ctx)
{
	for (; log->looked < log->n; log->looked++) {
		struct logged *l = log->all[log->looked];
		const struct code *c = &l->code;
		int err;

		if (l->of_prog || c->gone || c->has_text || !c->len || c->len > TEXT_MAX || !mem_ready(log))
			continue;
		str_reset(&log->text);
		str_reserve(&log->text, c->len);
		l->read_at = clock_ns(CLOCK_BOOTTIME);
		err = kmem_read(&log->mem, c->addr, log->text.p, c->len);
		listen(ctx);
		/* The end of a classic filter is not announced. */
		if (l->earlier && is_classic(l) && (err || gzip_crc32(0, log->text.p, c->len) != l->crc32))
			l->code.gone = true;
		else if (!err && !c->gone)
			log_text_keep(log, l);
	}
}

void code_log_again(struct code_log *log, struct poke_log *pokes, void (*listen)(void *ctx), void *ctx)
{
	for (size_t i = 0; i < log->n; i++) {
		struct logged *l = log->all[i];
		const uint64_t time = clock_ns(CLOCK_BOOTTIME);

		if (!l->now || !l->code.has_text || l->code.gone ||
		    kmem_read(&log->mem, l->code.addr, log->text.p, l->code.len))
			continue;
		listen(ctx);
		if (l->code.gone)
			continue;
		poke_log_found(pokes, l->code.addr, l->read_at, clock_ns(CLOCK_BOOTTIME), l->now,
			       (const unsigned char *)log->text.p, l->code.len);
		memcpy(l->now, log->text.p, l->code.len);
		l->read_at = time;
	}
}

/* Was this classic filter gone before this file began? */
static bool is_past(const struct logged *l)
{
	return l->earlier && l->code.gone && is_classic(l);
}

/* For a function of a program that is not in the file: set what is known of its life. False: it is not one. */
static bool of_missing(const struct catalog *cat, struct logged *l)
{
	const struct catalog_prog *p = l->code.prog ? hash_get(&cat->by_id, l->code.prog) : NULL;

	if (!p || p->written)
		return false;
	l->code.gone = p->life.gone;
	l->code.gone_at = p->life.gone_at;
	return true;
}

void code_log_list(struct code_log *log, const struct catalog *cat)
{
	const uint64_t late = clock_ns(CLOCK_BOOTTIME) - NSEC_PER_SEC;
	size_t kept = 0, looked = log->looked;
	STR text = { 0 };

	log->listed = 0;
	for (size_t i = 0; i < log->n; i++) {
		struct logged *l = log->all[i];
		const bool shown = l->of_prog ? of_missing(cat, l) :
						!is_past(l) && (!cat->only_pid || l->code.pid == cat->only_pid);

		if (shown) {
			codes_put(&text, &l->code);
			log->listed += !l->earlier;
		} else if (l->of_prog && l->code.from < late) {
			logged_free(l);
			log->looked -= i < looked;
			continue;
		}
		log->all[kept++] = l;
	}
	log->n = kept;
	source_record_again(log->file, &(const struct asked){ Q_CODES }, text.p, text.n);
}

struct code_log_count code_log_count(const struct code_log *log, void (*lost)(void *ctx, const struct code *c),
				     void *ctx)
{
	struct code_log_count ret = { .listed = log->listed };

	for (size_t i = 0; i < log->n; i++) {
		const struct logged *l = log->all[i];

		/* Programs are counted separately. */
		if (l->of_prog || l->earlier || !l->code.from || l->code.has_text)
			continue;
		ret.lost++;
		if (lost)
			lost(ctx, &l->code);
	}
	return ret;
}
