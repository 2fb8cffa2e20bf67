/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/catalog.h"

#include "own/own.h"
#include "recording/answers.h"
#include "source/questions.h"
#include "source/file/recorder.h"

void catalog_init(struct catalog *cat, struct source *file, struct own *own)
{
	*cat = (struct catalog){ .file = file, .own = own, .arena = arena_new(), .scratch = arena_new() };
	hash_init(&cat->by_id, cat->arena);
	hash_init(&cat->by_code, cat->arena);
	hash_init(&cat->earlier, cat->arena);
	hash_init(&cat->maps, cat->arena);
	hash_init(&cat->btfs, cat->arena);
}

void catalog_release(struct catalog *cat)
{
	for (size_t i = 0; i < cat->n; i++)
		str_release(&cat->all[i]->map_ids);
	free(cat->all);
	free(cat->waiting);
	arena_free(cat->arena);
	arena_free(cat->scratch);
	*cat = (struct catalog){ 0 };
}

bool catalog_waits(const struct catalog_prog *p)
{
	return !p->written && !p->tried;
}

bool catalog_has(const struct catalog *cat, uint32_t id)
{
	const struct catalog_prog *p = hash_get(&cat->by_id, id);

	return p && p->written;
}

static struct catalog_prog *prog_get(struct catalog *cat, uint32_t id)
{
	struct catalog_prog *p = hash_get(&cat->by_id, id);

	if (p)
		return p;
	p = arena_alloc(cat->arena, sizeof(*p));
	p->life.id = id;
	p->life.how = LIFE_MISSED;
	*hash_put(&cat->by_id, id) = p;
	cat->all = array_more(cat->all, cat->n, &cat->cap, sizeof(struct catalog_prog *));
	return cat->all[cat->n++] = p;
}

int catalog_ids(struct catalog *cat, enum object_kind kind, const uint32_t **ret, size_t *n)
{
	struct blob b;
	int err = source_record_peek(cat->file, &(const struct asked){ question_of(Q_IDS, kind) }, cat->scratch, &b);

	if (err)
		return err;
	*ret = arena_dup(cat->scratch, b.p, b.n);
	*n = b.n / sizeof(**ret);
	return 0;
}

/* Names of the bits of enum captured_missing. */
static const char *missing_words(unsigned missing, struct arena *a)
{
	static const char *const words[] = { ",parts", ",changed", ",device", ",types" };
	const char *all = "";

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (missing & 1u << i)
			all = arena_fmt(a, "%s%s", all, words[i]);
	return *all ? all + 1 : NULL;
}

static void code_put(struct catalog *cat, struct catalog_prog *p, const void *ksyms, size_t n)
{
	uint64_t addr;

	if (n < sizeof(addr))
		return;
	memcpy(&addr, ksyms, sizeof(addr));
	*hash_put(&cat->by_code, addr) = p;
}

static void code_ask(struct catalog *cat, struct catalog_prog *p)
{
	ARENA_SCOPE(cat->scratch);
	struct blob b;

	if (!source_record_peek(cat->file, &(const struct asked){ Q_PROG_JITED_KSYMS, p->life.id }, cat->scratch, &b))
		code_put(cat, p, b.p, b.n);
}

/* Ask the kernel; its answers replace earlier ones. */
static bool prog_look(struct catalog *cat, struct catalog_prog *p, enum life_how how)
{
	p->tried = true;
	if (answers_ask(cat, p->life.id))
		return false;
	code_ask(cat, p);
	p->written = true;
	p->life.how = how;
	p->life.missing = NULL;
	p->info.type = 0;
	return true;
}

/*
 * Add a program that is loaded at the beginning. If it is unloaded at this moment, it does not count as loaded during
 * the recording.
 */
static void begun_add(struct catalog *cat, struct catalog_prog *p)
{
	if (catalog_waits(p) && p->announced)
		return;
	if (!prog_look(cat, p, LIFE_BEFORE))
		p->life.how = LIFE_BEFORE;
}

static void wait_for(struct catalog *cat, struct catalog_prog *p, uint64_t since)
{
	p->announced = true;
	p->announced_at = since;
	cat->waiting = array_more(cat->waiting, cat->nwaiting, &cat->waiting_cap, sizeof(struct catalog_prog *));
	cat->waiting[cat->nwaiting++] = p;
}

/*
 * Was it loaded after the beginning? A file may begin some seconds late, because copies wait; then the program belongs
 * to this file or a later one, which its copy or announcement will show.
 */
static bool is_later(struct catalog *cat, uint32_t id)
{
	struct abi_prog_info info;

	return !answers_info(cat, id, &info) && info.load_time > cat->from;
}

int catalog_begin(struct catalog *cat)
{
	ARENA_SCOPE(cat->scratch);
	const uint32_t *ids;
	size_t n = 0;
	int err = catalog_ids(cat, OBJECT_PROG, &ids, &n);

	for (size_t i = 0; i < n; i++)
		if (!is_later(cat, ids[i]))
			begun_add(cat, prog_get(cat, ids[i]));
	return err;
}

static void bound_map_add(struct catalog *cat, const struct captured *c)
{
	struct catalog_prog *p = hash_get(&cat->by_id, c->id);

	if (!p || !p->written)
		return;
	/* Each of our programs that watches system calls reports it. */
	for (size_t i = 0; i < p->map_ids.n; i += sizeof(c->bound_map))
		if (!memcmp(p->map_ids.p + i, &c->bound_map, sizeof(c->bound_map)))
			return;
	str_add(&p->map_ids, &c->bound_map, sizeof(c->bound_map));
	answers_add_map(cat, p, c->bound_map);
}

/* Another thread of the loader may have closed it: then the announcement names the loader. */
static bool names_loader(const struct catalog_prog *p, const struct captured *c)
{
	return c->by_loader || (!p->life.has_loader && c->pid && c->pid == p->announced_pid);
}

static void loader_note(struct catalog_prog *p, const struct captured *c)
{
	if (!c->info.type || !names_loader(p, c))
		return;
	memcpy(p->comm, c->comm, sizeof(p->comm) - 1);
	memcpy(p->tag, c->info.tag, sizeof(p->tag));
	p->life.comm = p->comm;
	p->life.has_loader = true;
	p->life.pid = c->pid;
	p->life.uid = c->uid;
}

/* Of programs closed by others, keep only those that were announced. */
static bool is_event_wanted(const struct catalog *cat, const struct captured *c)
{
	if (!cat->only_pid || !c->info.type)
		return true;
	return c->by_loader ? c->pid == cat->only_pid : hash_get(&cat->by_id, c->id) != NULL;
}

static void copy_add(struct catalog *cat, const struct captured *c)
{
	struct catalog_prog *p;
	unsigned missing = c->missing;

	if (c->bound_map) {
		bound_map_add(cat, c);
		return;
	}
	if (!is_event_wanted(cat, c))
		return;
	p = prog_get(cat, c->id);
	loader_note(p, c);
	if (!p->written || p->life.missing || p->life.how == LIFE_BEFORE)
		p->life.loaded = c->info.type ? c->info.load_time : c->time;
	/*
	 * The kernel was already asked, because the copy was late, or because the list of programs at the beginning was
	 * made after this one was loaded.
	 */
	if (p->written && !p->life.missing) {
		if (p->life.how == LIFE_BEFORE && c->time >= cat->from)
			p->life.how = LIFE_ASKED;
		return;
	}
	if (missing && prog_look(cat, p, LIFE_ASKED))
		return;
	if (!c->info.type)
		return;
	code_put(cat, p, c->array[CAPTURED_JITED_KSYMS].p, c->array[CAPTURED_JITED_KSYMS].n);
	if (answers_copy(cat, p, c))
		missing &= ~(unsigned)CAPTURED_BTF;
	else
		missing |= CAPTURED_BTF;
	p->written = true;
	p->life.how = LIFE_COPIED;
	p->life.missing = missing_words(missing, cat->arena);
}

void catalog_add_copy(struct catalog *cat, const struct captured *c)
{
	copy_add(cat, c);
	if (cat->next)
		copy_add(cat->next, c);
}

void catalog_note_load(struct catalog *cat, uint32_t id, uint64_t time, uint32_t pid, const uint8_t tag[8])
{
	struct catalog_prog *p;

	if (cat->next)
		catalog_note_load(cat->next, id, time, pid, tag);
	if (!id || own_has(cat->own, OBJECT_PROG, id) || (cat->only_pid && pid != cat->only_pid) ||
	    hash_get(&cat->earlier, id))
		return;
	p = prog_get(cat, id);
	p->announced_pid = pid;
	if (!p->announced && catalog_waits(p))
		wait_for(cat, p, time);
	if (!p->written)
		p->life.how = LIFE_MISSED;
	else if (p->life.how == LIFE_BEFORE && time >= cat->from)
		p->life.how = LIFE_ASKED;
	if (p->life.loaded)
		return;
	p->life.loaded = time;
	memcpy(p->tag, tag, sizeof(p->tag));
}

void catalog_note_lost(struct catalog *cat, const struct captured_lost *l)
{
	if (!hash_get(&cat->by_id, l->id))
		catalog_note_load(cat, l->id, l->time, l->pid, l->tag);
}

bool catalog_note_unload(struct catalog *cat, uint32_t id, uint64_t time)
{
	struct catalog_prog *p = hash_get(&cat->by_id, id);

	if (cat->next)
		catalog_note_unload(cat->next, id, time);
	if (!p)
		return false;
	p->life.gone = true;
	p->life.gone_at = time;
	return true;
}

bool catalog_note_code_gone(struct catalog *cat, uint64_t addr, uint64_t time)
{
	struct catalog_prog *p = hash_get(&cat->by_code, addr);

	if (cat->next)
		catalog_note_code_gone(cat->next, addr, time);
	if (!p || p->life.gone || p->life.loaded > time)
		return false;
	p->life.gone = true;
	p->life.gone_at = time;
	return true;
}

void catalog_look(struct catalog *cat, uint64_t time)
{
	size_t left = 0;

	if (cat->next)
		catalog_look(cat->next, time);
	for (size_t i = 0; i < cat->nwaiting; i++) {
		struct catalog_prog *p = cat->waiting[i];

		if (p->written || p->tried)
			continue;
		if (p->announced_at < time)
			prog_look(cat, p, LIFE_ASKED);
		else
			cat->waiting[left++] = p;
	}
	cat->nwaiting = left;
}

/* A program that was saved because it is loaded at the end, whichever process loaded it. */
static void saved_renew(struct catalog *cat, uint32_t id, bool last)
{
	struct catalog_prog *p = hash_get(&cat->by_id, id);

	if (p && p->written)
		answers_renew(cat, OBJECT_PROG, id);
	else if (last && source_record_has(cat->file, &(const struct asked){ question_of(Q_INFO, OBJECT_PROG), id }))
		p = prog_get(cat, id);
	if (!p || p->written || !last)
		return;
	p->written = true;
	p->life.how = LIFE_ASKED;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return NUM_CMP(x, y);
}

int catalog_end(struct catalog *cat, bool last)
{
	ARENA_SCOPE(cat->scratch);
	const uint32_t *ids;
	size_t n = 0, maps = 0;
	int err = catalog_ids(cat, OBJECT_PROG, &ids, &n);

	for (size_t i = 0; i < n; i++)
		saved_renew(cat, ids[i], last);
	for (size_t i = 0; !err && i < cat->n; i++)
		if (!bsearch(&cat->all[i]->life.id, ids, n, sizeof(*ids), by_number))
			cat->all[i]->life.gone = true;
	if (!err && !catalog_ids(cat, OBJECT_MAP, &ids, &maps))
		for (size_t i = 0; i < maps; i++)
			if (hash_get(&cat->maps, ids[i]))
				answers_renew(cat, OBJECT_MAP, ids[i]);
	return err;
}

/* Write the ids of objects that are loaded now, and of those that are only in the file. */
static void list_write(struct catalog *cat, enum object_kind kind, const uint32_t *more, size_t nmore)
{
	const uint32_t *ids = NULL;
	size_t n = 0, out = 0;
	STR all = { 0 };
	uint32_t *p;

	catalog_ids(cat, kind, &ids, &n);
	for (size_t i = 0; i < n; i++)
		if (source_record_has(cat->file, &(const struct asked){ question_of(Q_INFO, kind), ids[i] }))
			str_add(&all, &ids[i], sizeof(ids[i]));
	str_add(&all, more, nmore * sizeof(*more));
	p = (uint32_t *)all.p;
	n = all.n / sizeof(*p);
	qsort(p, n, sizeof(*p), by_number);
	for (size_t i = 0; i < n; i++)
		if (!out || p[out - 1] != p[i])
			p[out++] = p[i];
	source_record_again(cat->file, &(const struct asked){ question_of(Q_IDS, kind) }, p, out * sizeof(*p));
}

static void list_hash(struct catalog *cat, enum object_kind kind, const struct hash *h)
{
	uint32_t *ids = arena_array(cat->scratch, h->n, sizeof(*ids));
	size_t n = 0;

	for (size_t i = 0; i < h->cap; i++)
		if (h->slots[i].used)
			ids[n++] = (uint32_t)h->slots[i].key;
	list_write(cat, kind, ids, n);
}

static int by_life(const void *a, const void *b)
{
	const struct catalog_prog *x = *(struct catalog_prog *const *)a, *y = *(struct catalog_prog *const *)b;

	return NUM_CMP(x->life.id, y->life.id);
}

void catalog_list(struct catalog *cat, uint64_t to)
{
	ARENA_SCOPE(cat->scratch);
	uint32_t *ids = arena_array(cat->scratch, cat->n, sizeof(*ids));
	STR text = { 0 };
	size_t n = 0;

	if (cat->n)
		qsort(cat->all, cat->n, sizeof(struct catalog_prog *), by_life);
	lives_put_head(&text, cat->from, to);
	for (size_t i = 0; i < cat->n; i++) {
		if (to && catalog_waits(cat->all[i]))
			continue;
		lives_put(&text, &cat->all[i]->life);
		if (cat->all[i]->written)
			ids[n++] = cat->all[i]->life.id;
	}
	source_record_again(cat->file, &(const struct asked){ Q_LIVES }, text.p, text.n);
	list_write(cat, OBJECT_PROG, ids, n);
	list_hash(cat, OBJECT_MAP, &cat->maps);
	list_hash(cat, OBJECT_BTF, &cat->btfs);
}
