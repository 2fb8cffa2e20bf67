/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/machine.h"

#include "base/bytes.h"
#include "source/facts.h"
#include "source/once.h"

struct machine *machine_new(struct source *src)
{
	struct arena *a = arena_new();
	struct machine *m = arena_alloc(a, sizeof(*m));

	m->src = src;
	m->arena = a;
	m->facts = facts_new();
	m->refused_end = &m->refused;
	return m;
}

void machine_free(struct machine **m)
{
	struct machine *old = *m;

	*m = NULL;
	if (!old)
		return;
	facts_free(old->facts);
	source_close(&old->src);
	arena_free(old->arena);
}

struct machine *machine_again(struct machine *m)
{
	struct source *src = source_once_take(&m->src);

	source_idle(src);
	return machine_new(src);
}

void machine_once(struct machine *m)
{
	if (!machine_is_saved(m))
		m->src = source_once(m->src);
}

bool machine_is_big(const struct machine *m)
{
	return m->src->swapped != BIG_HERE;
}

bool machine_is_saved(const struct machine *m)
{
	return m->src->ops->saved;
}

/*
 * Was the same question refused before? Several lists may ask it. A key that is too long to compare counts each time.
 */
static bool is_known(struct machine *m, const struct asked *q, struct refusal *r)
{
	STR key = { 0 };
	void **slot = question_key(q, &key) ? NULL : keys_put(&r->asked, key.p);
	const bool known = slot && *slot;

	if (slot)
		*slot = m;
	return known;
}

static struct refusal *refusal_of(struct machine *m, int why, const struct asked *q)
{
	struct refusal *r;

	for (r = m->refused; r; r = r->next) {
		if (r->first.q != q->q || r->why != why)
			continue;
		r->n += !is_known(m, q, r);
		return r;
	}
	r = arena_alloc(m->arena, sizeof(*r));
	*r = (struct refusal){ .first = *q, .why = why, .n = 1 };
	if (q->text)
		r->first.text = arena_str(m->arena, q->text, SIZE_MAX);
	keys_init(&r->asked, m->arena);
	is_known(m, q, r);
	*m->refused_end = r;
	m->refused_end = &r->next;
	return r;
}

static bool is_forbidden(int why)
{
	return why == -EACCES || why == -EPERM;
}

int machine_error(struct machine *m, int why, const struct asked *q)
{
	refusal_of(m, why, q)->unseen = questions[q->q].of_process && q->id && is_forbidden(why);
	return why;
}

int machine_unseen(struct machine *m, int why, const struct asked *q)
{
	refusal_of(m, why, q)->unseen = is_forbidden(why);
	return why;
}

size_t machine_refusals(const struct machine *m)
{
	size_t n = 0;

	for (const struct refusal *r = m->refused; r; r = r->next)
		n += r->n;
	return n;
}

size_t machine_unseens(const struct machine *m)
{
	size_t n = 0;

	for (const struct refusal *r = m->refused; r; r = r->next)
		n += r->unseen ? r->n : 0;
	return n;
}

void machine_forget(struct machine *m)
{
	machine_forget_since(m, &m->refused);
}

void machine_forget_since(struct machine *m, struct refusal **mark)
{
	*mark = NULL;
	m->refused_end = mark;
}

int machine_ask_silently(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
{
	return source_ask(m->src, q, a, ret);
}

/* Objects, files, namespaces and cgroups may go; answers about the whole machine always exist. */
static bool is_gone(const struct machine *m, const struct asked *q, int why)
{
	return why == -ENOENT && questions[q->q].about != ABOUT_MACHINE && !machine_is_saved(m);
}

int machine_ask(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
{
	int err = machine_ask_silently(m, a, ret, q);

	if (err && !is_gone(m, q, err))
		machine_error(m, err, q);
	return err;
}

int machine_ask_text(struct machine *m, struct arena *a, struct blob *ret, const struct asked *q)
{
	struct blob b;
	int err = machine_ask(m, a, &b, q);

	if (err)
		return err;
	if (!blob_is_lines(&b)) {
		machine_error(m, -EBADMSG, q);
		return -EBADMSG;
	}
	*ret = b;
	return 0;
}

int machine_ask_lines(struct machine *m, struct arena *a, char **ret, const struct asked *q)
{
	struct blob b;
	int err = machine_ask_text(m, a, &b, q);

	if (err)
		return err;
	*ret = blob_text(a, &b);
	return 0;
}
