/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/once.h"

#include "source/elems.h"
#include "source/keys.h"
#include "source/live/known.h"
#include "source/questions.h"

struct once {
	struct source source;
	struct source *inner;
	struct arena *arena;
	struct hash numbers; /* of struct once_answer: questions with a small id and no other part */
	struct keys texts;   /* the others */
	size_t room;	     /* bytes left */
};

struct once_answer {
	int err;
	struct blob b;
};

static bool is_by_id(const struct asked *q)
{
	return q->id <= UINT32_MAX && !q->index && !q->sub && !q->text;
}

static uint64_t asked_id(const struct asked *q)
{
	return (uint64_t)q->q << 32 | q->id;
}

static const struct once_answer *answer_find(const struct once *o, const struct asked *q)
{
	STR key = { 0 };

	if (is_by_id(q))
		return hash_get(&o->numbers, asked_id(q));
	return question_key(q, &key) ? NULL : keys_get(&o->texts, key.p);
}

/* Reading a record asks for fdinfo, and nothing else does. */
static bool need_not_stay(const struct once *o, const struct asked *q)
{
	return q->q == question_of(Q_FDINFO, OBJECT_PROG) || q->q == question_of(Q_FDINFO, OBJECT_MAP) ||
	       known_keeps(o->inner, q);
}

/* NULL: the answer cannot be kept. */
static void **slot_make(struct once *o, const struct asked *q)
{
	STR key = { 0 };

	if (is_by_id(q))
		return hash_put(&o->numbers, asked_id(q));
	return question_key(q, &key) ? NULL : keys_put(&o->texts, key.p);
}

/* A batch with a next cursor, which may expire. */
static bool goes_on(const struct asked *q, const struct blob *b)
{
	struct elems_head head;

	if (q->q != Q_MAP_ELEMS || b->n < sizeof(head))
		return false;
	memcpy(&head, b->p, sizeof(head));
	return head.next_len;
}

static void remember(struct once *o, const struct asked *q, int err, const struct blob *b)
{
	size_t n = err ? 0 : b->n;
	struct once_answer *answer;
	void **slot;

	if (need_not_stay(o, q) || n > ONCE_ANSWER || n + sizeof(*answer) > o->room || (!err && goes_on(q, b)))
		return;
	slot = slot_make(o, q);
	if (!slot)
		return;
	*slot = answer = arena_alloc(o->arena, sizeof(*answer));
	answer->err = err;
	answer->b = (struct blob){ n ? arena_dup(o->arena, b->p, n) : (const void *)"", n };
	o->room -= n + sizeof(*answer);
}

static int once_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct once *o = (struct once *)s;
	const struct once_answer *before = answer_find(o, q);
	int err;

	if (before && !before->err)
		*ret = before->b;
	if (before)
		return before->err;
	err = source_ask(o->inner, q, a, ret);
	remember(o, q, err, ret);
	return err;
}

static void once_idle(struct source *s)
{
	source_idle(((struct once *)s)->inner);
}

static void once_hold(struct source *s, enum object_kind kind, uint32_t id, int fd, const char *path)
{
	source_hold(((struct once *)s)->inner, kind, id, fd, path);
}

static int once_open(struct source *s, enum object_kind kind, uint32_t id, bool write)
{
	return source_open(((struct once *)s)->inner, kind, id, write);
}

static void once_close(struct source *s)
{
	struct once *o = (struct once *)s;

	source_close(&o->inner);
	arena_free(o->arena);
}

static const struct source_ops once_ops = {
	.name = "once",
	.get = once_get,
	.idle = once_idle,
	.hold = once_hold,
	.open = once_open,
	.close = once_close,
};

struct source *source_once_take(struct source **s)
{
	struct source *ret = *s;

	if (ret && ret->ops == &once_ops)
		return source_once_take(&((struct once *)ret)->inner);
	*s = NULL;
	return ret;
}

struct source *source_once(struct source *inner)
{
	struct arena *a = arena_new();
	struct once *o = arena_alloc(a, sizeof(*o));

	*o = (struct once){ .source = { &once_ops, inner->swapped }, .inner = inner, .arena = a, .room = ONCE_ALL };
	hash_init(&o->numbers, a);
	keys_init(&o->texts, a);
	return &o->source;
}
