/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/attach_where.h"

#include "base/base.h"
#include "base/near.h"
#include "cli/env.h"
#include "cli/place.h"
#include "kernel/hooks.h"

struct where_near {
	struct env *env;
	const char *where;
	struct near near;
	bool there;
};

static void near_where_offer(void *ctx, const char *word, const char *help)
{
	struct where_near *m = ctx;

	m->there = m->there || !strcmp(word, m->where);
	near_offer(&m->near, m->where, arena_str(m->env->keep, word, SIZE_MAX));
}

/* All that completion offers, and what it offers after all letters but the last: many places are offered only then. */
static void offer_near(struct where_near *m, const struct place *p, const struct hook *h)
{
	size_t n = strlen(m->where);

	p->offer(m->env, h->progs[0], "", near_where_offer, m);
	if (n > 1)
		p->offer(m->env, h->progs[0], arena_str(m->env->keep, m->where, n - 1), near_where_offer, m);
}

static bool of_devices(const struct hook *h)
{
	return h->kind == HOOK_XDP || h->kind == HOOK_MPROG || h->kind == HOOK_TC;
}

bool attach_where_missing(struct env *env, const char *where, const char *what, struct err *e)
{
	struct where_near m = { .env = env, .where = where };
	bool sorts = false, devices = true;

	for (const struct place *const *p = places; *p; p++) {
		const struct hook *h = what && (*p)->attach ? hook_find(what, (*p)->hooks) : NULL;

		if (!h || !(*p)->hooks_at)
			continue;
		if ((*p)->hooks_at(env, where))
			return false;
		sorts = true;
		devices = devices && of_devices(h);
		if ((*p)->offer)
			offer_near(&m, *p, h);
	}
	if (!sorts || m.there)
		return false;
	if (devices)
		err_set(e, -ENOENT, "no network device %s", where);
	else
		err_set(e, -ENOENT, "no place %s with a hook %s", where, what);
	near_hint(&m.near, e);
	return true;
}
