/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/session.h"

#include "all/save.h"
#include "own/capture/capture.h"
#include "kernel/clock.h"
#include "recording/answers.h"
#include "source/codes.h"
#include "source/source.h"
#include "source/live/source.h"
#include "source/file/gzip.h"
#include "source/file/recorder.h"

int session_read(struct recording *r)
{
	audit_listen(&r->audit);
	sampler_read(r->sampler, false);
	map_call_log_read(r->calls, false);
	return capture_read(r->capture);
}

void session_listen(void *ctx)
{
	audit_listen(&((struct recording *)ctx)->audit);
}

void session_check_signal(struct recording *r)
{
	if (!stop_wait(&r->stop, -1, 0))
		return;
	stop_take(&r->stop);
	r->signalled = true;
}

bool session_meanwhile(void *ctx)
{
	struct recording *r = ctx;

	session_check_signal(r);
	session_read(r);
	/* The space is bounded: what is too much waits for the next file. */
	if (r->preparing && source_record_size(r->catalog.file) < 2 * r->full) {
		const uint64_t before = r->next.file ? source_record_size(r->next.file) : 0;

		session_take_share(r);
		if (r->next.file)
			r->meanwhile += source_record_size(r->next.file) - before;
	}
	return false;
}

const char *session_path(const struct recording *r, uint32_t file)
{
	return file ? arena_fmt(r->env->keep, "%s.%u", r->opts->file, file) : r->opts->file;
}

const char *session_note(const struct recording *r)
{
	return r->map ? arena_fmt(r->env->keep,
				  "recording\nmap contents were left out, but not from the calls on map %u\n", r->map) :
			"recording\nmap contents were left out\n";
}

void session_use(struct recording *r, struct source *file)
{
	machine_free(&r->env->machine);
	env_use(r->env, machine_new(file));
}

static int file_open(struct recording *r, uint64_t from, struct err *e)
{
	struct source *live = r->env->machine->src, *file;
	int err = source_record(&file, live, session_path(r, r->file), session_note(r), e);

	if (err)
		return err;
	r->env->machine->src = NULL;
	session_use(r, file);
	catalog_init(&r->catalog, file, source_live_own(live));
	code_log_init(&r->code, file, source_live_own(live));
	r->catalog.only_pid = r->opts->pid;
	r->catalog.from = from;
	poke_log_use(&r->pokes, file);
	source_record_waiting(file, 0);
	source_record_between(file, session_meanwhile, r);
	return 0;
}

/* Where the programs are that were there before; later ones are announced. */
static void code_find(struct recording *r)
{
	struct catalog *cat = &r->catalog;

	for (size_t i = 0; r->pokes.ring && i < cat->n; i++) {
		ARENA_SCOPE(cat->scratch);
		const uint32_t id = cat->all[i]->life.id;
		struct poke_funcs f = { .n = SIZE_MAX };
		struct poke_place p;
		size_t off;

		if (source_record_peek(cat->file, &(const struct asked){ Q_PROG_JITED_KSYMS, id }, cat->scratch,
				       &f.ksyms) ||
		    source_record_peek(cat->file, &(const struct asked){ Q_PROG_JITED_FUNC_LENS, id }, cat->scratch,
				       &f.lens))
			continue;
		for (size_t k = 0; poke_func(&f, k, &p, &off); k++)
			poke_log_code(&r->pokes, p.addr, p.n, 0);
	}
}

#define AGAIN (200 * NSEC_PER_MSEC) /* at most so often, code is read again */

void session_pokes(struct recording *r)
{
	if (clock_ns(CLOCK_BOOTTIME) < r->pokes.read + AGAIN)
		return;
	audit_listen(&r->audit);
	r->pokes.read = clock_ns(CLOCK_BOOTTIME);
	code_log_again(&r->code, &r->pokes, session_listen, r);
	poke_log_write(&r->pokes);
}

/* Their names, sizes and addresses, not how many users each has. */
static uint32_t modules_sum(void)
{
	STR text = { 0 };
	uint32_t sum = 0;
	char name[64], size[24], address[24];

	str_read_file(&text, "/proc/modules", 1u << 20);
	for (char *rest = text.p, *line; (line = strsep(&rest, "\n"));)
		if (sscanf(line, "%63s %23s %*s %*s %*s %23s", name, size, address) == 3) {
			sum = gzip_crc32(sum, name, strlen(name));
			sum = gzip_crc32(sum, size, strlen(size));
			sum = gzip_crc32(sum, address, strlen(address));
		}
	return sum;
}

/* Since they were written, has anything been loaded that adds to them? */
static bool symbols_changed(const struct recording *r)
{
	return !r->audit.ring || r->catalog.n + r->code.changes != r->named || modules_sum() != r->modules;
}

static void symbols_renew(struct recording *r)
{
	ARENA_SCOPE(r->env->arena);
	struct blob b;

	if (symbols_changed(r))
		source_record_renew(r->env->machine->src, &(const struct asked){ Q_KALLSYMS }, r->env->arena, &b);
}

void session_save(struct recording *r, bool sampling)
{
	size_t counts[OBJECT_KINDS];

	source_record_once(r->env->machine->src, true);
	save_machine(r->env, (struct save_what){ .uncounted = sampling, .listed = true }, counts);
	source_record_once(r->env->machine->src, false);
	symbols_renew(r);
}

int session_basics(struct recording *r, struct catalog *cat, struct err *e)
{
	r->modules = modules_sum();
	r->named = r->catalog.n + r->code.changes;
	answers_basics(cat);
	if (r->opts->features)
		answers_features(cat, r->env->keep, &r->features);
	if (r->map)
		answers_ask_map(cat, r->map);
	return catalog_begin(cat) ? err_set(e, -EPERM, "cannot list programs") : 0;
}

void session_file_limit(struct recording *r)
{
	r->full = r->max_size > 2 * r->begun || !r->max_size ? r->max_size : 2 * r->begun;
}

int session_file_begin(struct recording *r, uint64_t from, struct err *e)
{
	int err = file_open(r, from, e);

	if (err)
		return err;
	/* From now on the file can be read, whatever happens. */
	catalog_list(&r->catalog, 0);
	source_idle(r->catalog.file);
	session_prune(r);
	err = session_basics(r, &r->catalog, e);
	if (err)
		return err;
	code_find(r);
	code_log_look(&r->code, session_listen, r);
	list_log_init(&r->lists, r->env, &r->catalog);
	list_log_write(&r->lists, true);
	r->named = r->catalog.n + r->code.changes;
	session_lists(r, 0);
	source_idle(r->catalog.file);
	r->begun = source_record_size(r->catalog.file);
	session_file_limit(r);
	return 0;
}

bool session_file_full(const struct recording *r)
{
	return r->full && source_record_size(r->catalog.file) >= r->full;
}

void session_lists(struct recording *r, uint64_t to)
{
	catalog_list(&r->catalog, to);
	code_log_list(&r->code, &r->catalog);
}

int session_file_end(struct recording *r, uint64_t to, bool last, struct err *e)
{
	int err = catalog_end(&r->catalog, last);

	if (err)
		return err_sys(e, err, "cannot list programs");
	session_lists(r, to);
	r->pokes.read = 0;
	session_pokes(r);
	return 0;
}
