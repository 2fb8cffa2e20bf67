/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/look.h"

#include "cli/env.h"
#include "host/caps.h"
#include "prog/prog.h"
#include "source/facts.h"
#include "source/lives.h"

struct finding *findings_add(struct findings *f, struct env *env)
{
	ARENA_MORE(env->keep, f->v, f->n, f->cap);
	/* Not zero if findings were dropped before. */
	f->v[f->n] = (struct finding){ 0 };
	return &f->v[f->n++];
}

struct finding *finding_add(struct look *l, const char *word, const struct graph_node *n)
{
	struct finding *f = findings_add(&l->found, l->env);

	f->finding = word;
	if (!n)
		return f;
	f->kind = graph_word(n);
	f->id = n->id;
	f->type = n->type;
	f->name = n->name;
	if (n->kind == EDGE_PROG && n->rec)
		f->tag = ((const struct prog_rec *)n->rec)->info.tag;
	return f;
}

static void lockdown_report(struct look *l)
{
	bool locked = false;

	for (unsigned kind = 0; !locked && kind < COUNTED_KINDS; kind++)
		locked = facts_locked_down(l->env->machine, l->counted.walked[kind].why);
	if (locked)
		report_note(l->env->report, "the lists of objects were not compared with iterators: " CAPS_LOCKED_DOWN);
}

/*
 * Ids are read first, because all else is compared with them. Symbols are read while no program of bpflens is loaded,
 * which would have symbols, and before the programs.
 */
int look_read(struct env *env, struct look *ret, struct err *e)
{
	int err;

	*ret = (struct look){ .env = env };
	machine_once(env->machine);
	ret->counts = !counted_read(&ret->counted, env->machine, env->keep);
	facts_symbols(env->machine);
	/* One pin keeps an object as well as many. */
	err = graph_read(env, NEED_SYMBOLS | NEED_TARGET, false, 1, &ret->g, e);
	if (!err)
		lockdown_report(ret);
	/* A recording has objects that did not exist at the same time. */
	if (err || facts_lives(env->machine))
		return err;
	sights_compare(ret);
	code_compare(ret);
	return 0;
}

static int by_object(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;
	int c = strcmp(a->kind, b->kind);

	c = c ?: NUM_CMP(a->id, b->id);
	return c ? c : strcmp(a->why, b->why);
}

/* Another program may have been loaded at the address of code meanwhile. */
static bool is_same(const struct finding *a, const struct finding *b)
{
	return !a->name || !b->name || !strcmp(a->name, b->name);
}

void findings_keep(struct findings *a, const struct findings *b)
{
	struct finding *sorted = malloc(b->n * sizeof(*sorted) + 1);
	size_t n = 0;

	if (!sorted)
		arena_die(b->n * sizeof(*sorted));
	if (b->n)
		memcpy(sorted, b->v, b->n * sizeof(*sorted));
	qsort(sorted, b->n, sizeof(*sorted), by_object);
	for (size_t i = 0; i < a->n; i++) {
		const struct finding *same = bsearch(&a->v[i], sorted, b->n, sizeof(*sorted), by_object);

		if (same && is_same(&a->v[i], same))
			a->v[n++] = a->v[i];
	}
	a->n = n;
	free(sorted);
}
