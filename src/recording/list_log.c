/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/list_log.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "kernel/bpf.h"
#include "kernel/clock.h"
#include "record/field.h"
#include "recording/answers.h"
#include "source/lives.h"
#include "source/machine.h"

/* Times what a look takes, until the next one. */
#define REST 100
#define REST_IDLE 2000
#define SHARE 1000 /* objects that are asked about at a look: meanwhile no copies are taken */

void list_log_init(struct list_log *log, struct env *env, struct catalog *cat)
{
	*log = (struct list_log){ .env = env, .cat = cat };
}

void list_log_release(struct list_log *log)
{
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		free(log->of[i].v);
	*log = (struct list_log){ 0 };
}

void list_log_next(struct list_log *log)
{
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		log->of[i].n = 0;
	log->pieces = log->looked = log->due = 0;
}

/* What is read about an object goes to the file; other questions would be asked too often, and have no answer. */
struct drafts {
	struct source source;
	struct catalog *cat;
};

static int draft_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct source *file = ((struct drafts *)s)->cat->file;
	const bool wanted = (q->q > Q_INFO && q->q <= Q_BUF_LAST) || q->q == Q_BTF_NAME;
	int err = wanted ? source_record_peek(file, q, a, ret) : -ENODATA;

	if (!err)
		source_record_draft(file, q, ret->p, ret->n);
	return err;
}

static void draft_close(struct source *s)
{
	(void)s;
}

/* False: it is gone. */
static bool object_ask(struct list_log *log, enum object_kind kind, uint32_t id)
{
	static const struct source_ops ops = { .name = "draft", .get = draft_get, .close = draft_close };
	struct drafts drafts = { { .ops = &ops }, log->cat };
	const struct kind *k = kind_of(kind);
	ARENA scratch = arena_new();
	ARENA keep = arena_new();
	struct report unused = { 0 };
	struct env env = *log->env;
	struct err why = { 0 };
	int err;

	env.report = &unused;
	env.arena = scratch;
	env.keep = keep;
	env_use(&env, machine_new(&drafts.source));
	err = k->read(&env, keep, id, NEED_FDINFO, arena_alloc(keep, k->schema->rec_size), &why);
	machine_free(&env.machine);
	report_release(&unused);
	if (!err && kind == OBJECT_MAP)
		answers_ask_map_types(log->cat, id);
	return err != -ENOENT;
}

static void object_add(struct list_log_kind *l, const struct list_log_object *o)
{
	l->v = array_more(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = *o;
}

/* The list becomes @ids, ascending, and what differs is appended to @text. */
static void kind_look(struct list_log *log, enum object_kind kind, const uint32_t *ids, size_t n, size_t *room,
		      struct str *text)
{
	const struct list_log_kind old = log->of[kind];
	struct list_log_kind now = { .newest = n && ids[n - 1] > old.newest ? ids[n - 1] : old.newest };
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		struct list_log_object o = { .id = ids[i] };
		bool is_new, is_gone = false;

		for (; k < old.n && old.v[k].id < ids[i]; k++)
			listed_put(text, kind, false, old.v[k].id);
		is_new = k >= old.n || old.v[k].id != ids[i];
		o.asked = !is_new && old.v[k].asked;
		if (!o.asked && *room) {
			o.asked = object_ask(log, kind, ids[i]);
			is_gone = !o.asked;
			--*room;
		}
		if (!is_gone)
			object_add(&now, &o);
		if (is_new != is_gone)
			listed_put(text, kind, is_new, ids[i]);
		k += !is_new;
	}
	for (; k < old.n; k++)
		listed_put(text, kind, false, old.v[k].id);
	free(old.v);
	log->of[kind] = now;
}

/* Ids ascend: that an object came is known from a question for each kind. */
static bool has_come(struct list_log *log)
{
	bool ret = false;
	uint32_t next;

	for (unsigned kind = OBJECT_MAP; kind < OBJECT_KINDS; kind++)
		for (uint32_t *newest = &log->of[kind].newest;
		     !sys_object_next_id((enum object_kind)kind, *newest, &next) && next > *newest; *newest = next)
			ret = true;
	return ret;
}

void list_log_write(struct list_log *log, bool all)
{
	const uint64_t now = clock_ns(CLOCK_BOOTTIME);
	size_t room = all ? SIZE_MAX : SHARE;
	STR text = { 0 };
	uint64_t took = 0;
	size_t head;

	if (!log->cat || (!all && now < log->due && (now < log->soon || !has_come(log))))
		return;
	listed_put_look(&text, (struct list_look){ log->looked, now });
	head = text.n;
	for (unsigned kind = OBJECT_MAP; kind < OBJECT_KINDS; kind++) {
		ARENA_SCOPE(log->cat->scratch);
		const uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		const uint32_t *ids;
		size_t n = 0;
		int err = catalog_ids(log->cat, (enum object_kind)kind, &ids, &n);

		took += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
		/* What cannot be listed at this moment has not gone. */
		if (!err)
			kind_look(log, (enum object_kind)kind, ids, n, &room, &text);
	}
	if (text.n > head || !log->pieces)
		source_record_again(log->cat->file, &(const struct asked){ Q_LISTED, log->pieces++ }, text.p, text.n);
	log->looked = now;
	log->soon = now + REST * took;
	log->due = room ? now + REST_IDLE * took : now;
}
