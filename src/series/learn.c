/* SPDX-License-Identifier: BSD-2-Clause */
#include "series/history.h"

#include "cli/env.h"
#include "cli/select.h"
#include "map/map.h"
#include "prog/prog.h"

static void text_set(char **to, const char *text)
{
	if (*to && text && !strcmp(*to, text))
		return;
	free(*to);
	*to = NULL;
	if (text) {
		*to = array_resize(NULL, strlen(text) + 1, 1);
		strcpy(*to, text);
	}
}

static void prog_learn(struct env *env, struct history_prog *p, unsigned need)
{
	ARENA_SCOPE(env->arena);
	struct err why = { 0 };
	struct prog_rec r;
	const int err = prog_read(env, env->arena, p->id, need, &r, &why);

	if (err && err != -ENOENT)
		report_unread(env->report, &why);
	if (err || r.info.load_time != p->load_time)
		return;
	p->learnt = true;
	if (need & NEED_JOIN) {
		text_set(&p->where, r.where);
		p->has_where = r.has_where;
	}
	if (need & NEED_OWNER) {
		text_set(&p->owner, r.owners.owner);
		p->has_owner = r.owners.has_owner;
	}
	if (need & NEED_FDINFO) {
		p->memlock = r.memlock;
		p->has_memlock = r.has_memlock;
	}
}

static void maps_learn(struct env *env, struct history *h)
{
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;

	h->map_bytes = 0;
	if (select_all(env, &kind_map, &ids, &n, &why)) {
		report_add_unlisted(env->report, kind_map.noun, why.code);
		h->has_bytes = AVAIL_UNKNOWN;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct map_rec r = { 0 };
		const int err = map_read(env, env->arena, ids[i], NEED_FDINFO, &r, &why);

		if (!err && r.has_memlock == AVAIL_YES)
			h->map_bytes += r.memlock;
		else if (err != -ENOENT)
			h->has_bytes = AVAIL_UNKNOWN;
		if (err && err != -ENOENT)
			report_unread(env->report, &why);
		err_clear(&why);
	}
}

void history_learn(struct history *h, struct env *env, unsigned need)
{
	h->has_bytes = AVAIL_YES;
	h->prog_bytes = 0;
	for (size_t i = 0; i < h->n; i++) {
		prog_learn(env, h->prog[i], need);
		h->prog_bytes += h->prog[i]->memlock;
		if (h->prog[i]->has_memlock != AVAIL_YES)
			h->has_bytes = AVAIL_UNKNOWN;
	}
	if (need & NEED_FDINFO)
		maps_learn(env, h);
	else
		h->has_bytes = AVAIL_NO;
}
