/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/when.h"
#include "kernel/abi.h"
#include "source/codes.h"
#include "source/lives.h"
#include "source/questions.h"
#include "source/source.h"

struct at {
	struct source source;
	struct source *inner;
	struct arena *arena;
	struct lives lives;
	uint64_t time;	       /* ns since boot */
	struct pokes *pokes;   /* changes of code; NULL: not read yet */
	struct listed *listed; /* NULL: not read yet */
	int listed_error;
};

/* A list that cannot be parsed is left to the reader. */
static void codes_then(const struct at *at, struct arena *a, struct blob *ret)
{
	struct codes all;
	STR text = { 0 };

	if (codes_parse(&all, ret, a))
		return;
	for (size_t i = 0; i < all.n; i++) {
		const struct code *c = &all.code[i];

		if (c->from <= at->time && (!c->gone_at || c->gone_at > at->time))
			codes_put(&text, c);
	}
	*ret = (struct blob){ arena_dup(a, text.p, text.n), text.n };
}

/* The changes of code. Damaged ones are reported by those who ask for them. */
static const struct pokes *at_pokes(struct at *at)
{
	if (!at->pokes) {
		at->pokes = arena_alloc(at->arena, sizeof(*at->pokes));
		pokes_read(at->inner, at->arena, at->pokes);
	}
	return at->pokes;
}

/* A program's machine code as it was then. */
static void prog_then(struct at *at, uint32_t id, struct arena *a, struct blob *ret)
{
	struct poke_funcs f = { .life = lives_find(&at->lives, id), .n = ret->n };
	unsigned char *code = arena_dup(a, ret->p, ret->n);

	if (source_ask(at->inner, &(const struct asked){ Q_PROG_JITED_KSYMS, id }, a, &f.ksyms) ||
	    source_ask(at->inner, &(const struct asked){ Q_PROG_JITED_FUNC_LENS, id }, a, &f.lens))
		return;
	pokes_then_prog(at_pokes(at), &f, at->time, code);
	ret->p = code;
}

static void code_then(struct at *at, uint32_t text, struct arena *a, struct blob *ret)
{
	unsigned char *code = arena_dup(a, ret->p, ret->n);
	struct codes all;
	struct blob b;

	if (source_ask(at->inner, &(const struct asked){ Q_CODES }, a, &b) || codes_parse(&all, &b, a))
		return;
	for (size_t i = 0; i < all.n; i++) {
		const struct code *c = &all.code[i];

		if (c->has_text && c->text == text)
			pokes_then(at_pokes(at), &(const struct poke_place){ c->addr, ret->n, c->from, c->gone_at },
				   at->time, code);
	}
	ret->p = code;
}

static const struct listed *at_listed(struct at *at)
{
	if (!at->listed) {
		at->listed = arena_alloc(at->arena, sizeof(*at->listed));
		at->listed_error = listed_read(at->inner, at->arena, at->listed);
		if (!at->listed_error && at->time > at->listed->to)
			at->listed_error = at->listed->why;
	}
	return at->listed_error ? NULL : at->listed;
}

/* The maps or the BTF object of a program; n 0: none, or unknown. */
static struct blob used_by(const struct at *at, uint32_t prog, enum object_kind kind, struct arena *a)
{
	const struct asked q = { kind == OBJECT_MAP ? Q_PROG_MAP_IDS : question_of(Q_INFO, OBJECT_PROG), prog };
	const size_t at_btf = offsetof(struct abi_prog_info, btf_id);
	struct blob b;

	if (source_ask(at->inner, &q, a, &b))
		return (struct blob){ 0 };
	if (kind == OBJECT_MAP)
		return b;
	return b.n < at_btf + sizeof(uint32_t) ? (struct blob){ 0 } : (struct blob){ b.p + at_btf, sizeof(uint32_t) };
}

/* What a program of that time uses was there, although it may have come and gone between two looks. */
static void ids_add_used(const struct at *at, enum object_kind kind, const struct blob *saved, struct arena *a,
			 struct str *ret)
{
	for (size_t i = 0; i < at->lives.n && kind != OBJECT_LINK; i++) {
		const struct blob used = life_was_at(&at->lives.life[i], at->time) ?
						 used_by(at, at->lives.life[i].id, kind, a) :
						 (struct blob){ 0 };

		for (size_t k = 0; k + sizeof(uint32_t) <= used.n; k += sizeof(uint32_t)) {
			uint32_t id;

			memcpy(&id, used.p + k, sizeof(id));
			if (bsearch(&id, saved->p, saved->n / sizeof(id), sizeof(id), num_order_u32))
				str_add(ret, &id, sizeof(id));
		}
	}
}

/* @ret: the list in the file, empty if the recorder was killed before it was written; becomes that of the time. */
static void ids_then(const struct at *at, const struct listed *l, enum object_kind kind, struct arena *a,
		     struct blob *ret)
{
	const struct hash *h = &l->of[kind];
	STR all = { 0 };
	uint32_t *ids;
	size_t n = 0;

	for (size_t i = 0; i < h->cap; i++) {
		const struct presence *p = h->slots[i].used ? h->slots[i].val : NULL;

		if (p && presence_was_at(p, at->time))
			str_add(&all, &p->id, sizeof(p->id));
	}
	ids_add_used(at, kind, ret, a, &all);
	ids = arena_dup(a, all.p, all.n);
	if (all.n)
		qsort(ids, all.n / sizeof(*ids), sizeof(*ids), num_order_u32);
	for (size_t i = 0; i < all.n / sizeof(*ids); i++)
		if (!n || ids[n - 1] != ids[i])
			ids[n++] = ids[i];
	*ret = (struct blob){ (const unsigned char *)ids, n * sizeof(*ids) };
}

/* The list of a kind but programs. A file from before there were looks has it as of its end. */
static int ids_get(struct at *at, enum object_kind kind, struct arena *a, struct blob *ret)
{
	const struct listed *l = at_listed(at);
	int err = source_ask(at->inner, &(const struct asked){ question_of(Q_IDS, kind) }, a, ret);

	if (!l)
		return at->listed_error == -ENODATA ? err : at->listed_error;
	if (err && err != -ENODATA)
		return err;
	*ret = err ? (struct blob){ 0 } : (struct blob){ arena_dup(a, ret->p, ret->n), ret->n };
	ids_then(at, l, kind, a, ret);
	return 0;
}

static int at_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct at *at = (struct at *)s;
	uint32_t *ids;
	size_t n = 0;
	int err;

	if (q->q > question_of(Q_IDS, OBJECT_PROG) && q->q <= Q_IDS_LAST)
		return ids_get(at, (enum object_kind)(q->q - Q_IDS), a, ret);
	err = source_ask(at->inner, q, a, ret);
	if (!err && q->q == Q_CODES)
		codes_then(at, a, ret);
	if (!err && q->q == Q_CODE)
		code_then(at, (uint32_t)q->id, a, ret);
	if (!err && q->q == Q_PROG_JITED)
		prog_then(at, (uint32_t)q->id, a, ret);
	if (err || q->q != question_of(Q_IDS, OBJECT_PROG) || ret->n % sizeof(*ids))
		return err;
	ids = arena_dup(a, ret->p, ret->n);
	for (size_t i = 0; i < ret->n / sizeof(*ids); i++) {
		const struct life *l = lives_find(&at->lives, ids[i]);

		if (!l || life_was_at(l, at->time))
			ids[n++] = ids[i];
	}
	*ret = (struct blob){ (const unsigned char *)ids, n * sizeof(*ids) };
	return 0;
}

static void at_close(struct source *s)
{
	struct at *at = (struct at *)s;

	source_close(&at->inner);
	arena_free(at->arena);
	free(at);
}

static const struct source_ops at_ops = { .name = "archive", .saved = true, .get = at_get, .close = at_close };

/* The time of day of the boot; 0: unknown. */
static uint64_t boot_of(struct source *s, struct arena *a)
{
	struct blob b;
	uint64_t v;
	char *text;

	if (source_ask(s, &(const struct asked){ Q_CLOCK }, a, &b))
		return 0;
	text = blob_text(a, &b);
	text[strcspn(text, "\n")] = '\0';
	return num_parse_u64(text, &v) ? 0 : v;
}

static int outside(const struct at *at, const char *when, uint64_t boot, struct err *e)
{
	const uint64_t times[] = { boot + at->lives.from, boot + at->lives.to };
	char from[WHEN_TEXT], to[WHEN_TEXT];
	double seconds = (double)(at->lives.to - at->lives.from) / (double)NSEC_PER_SEC;

	for (int i = 0; i < 2; i++)
		when_print(i ? to : from, times[i] / NSEC_PER_SEC, (uint32_t)(times[i] % NSEC_PER_SEC), 3, false);
	if (!boot && at->lives.to)
		return err_usage(e, "--at %s is not in the recording, which is %.3f seconds long", when, seconds);
	if (!boot)
		return err_usage(e, "--at %s is before the recording", when);
	if (!at->lives.to)
		return err_usage(e, "--at %s is before the recording, which begins at %s", when, from);
	return err_usage(e, "--at %s is not in the recording, which is from %s to %s, %.3f seconds", when, from, to,
			 seconds);
}

/* A time to the minute is also that of a recording that begins within this minute. */
static int time_typed(const char *when, uint64_t from, uint64_t to, bool dated, uint64_t *ret, struct err *e)
{
	struct when w;

	if (when_parse(when, &w)) {
		err_usage(e, "--at: '%s' is not a time", when);
		return err_hint(e, "seconds from the beginning, as 1.5 or 1m30s, or " WHEN_FORMS);
	}
	if (w.base != WHEN_AGO && !dated)
		return err_set(e, -ENODATA, "--at: the boot time is not in the recording");
	*ret = when_at(&w, to);
	if (w.base != WHEN_AGO && *ret < from && from - *ret < w.width)
		*ret = from;
	return 0;
}

int at_parse(const char *when, uint64_t from, uint64_t to, bool dated, uint64_t *ret, struct err *e)
{
	uint64_t span = 0;
	double seconds;

	if (!num_parse_real(when, &seconds) && seconds >= 0 && seconds < 1e9)
		span = (uint64_t)(seconds * (double)NSEC_PER_SEC);
	else if (num_parse_nsec(when, &span))
		return time_typed(when, from, to, dated, ret, e);
	*ret = span < UINT64_MAX - from ? from + span : UINT64_MAX;
	return 0;
}

static int time_parse(struct at *at, const char *when, struct err *e)
{
	const uint64_t boot = boot_of(at->inner, at->arena);
	uint64_t t = 0;
	int err = at_parse(when, boot + at->lives.from, boot + lives_end(&at->lives), boot, &t, e);

	at->time = t > boot ? t - boot : 0;
	if (!err && (at->time < at->lives.from || (at->lives.to && at->time > at->lives.to)))
		err = outside(at, when, boot, e);
	return err;
}

int source_at(struct source **ret, struct source *inner, const char *when, struct err *e)
{
	struct at *at = calloc(1, sizeof(*at));
	struct blob b;
	int err;

	if (!at)
		return err_sys(e, -ENOMEM, "--at");
	at->source = (struct source){ &at_ops, inner->swapped };
	at->arena = arena_new();
	at->inner = inner;
	err = source_ask(inner, &(const struct asked){ Q_LIVES }, at->arena, &b);
	if (err == -ENODATA)
		err = err_usage(e, "--at needs a recording, and this file is not one");
	else if (err || lives_parse(&at->lives, &b, at->arena))
		err = err_set(e, -EBADMSG, "--at: the recording's list of programs is damaged");
	if (!err)
		err = time_parse(at, when, e);
	if (err) {
		arena_free(at->arena);
		free(at);
		return err;
	}
	*ret = &at->source;
	return 0;
}

uint64_t source_at_ns(const struct source *at)
{
	return ((const struct at *)at)->time;
}
