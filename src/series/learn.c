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
	if (need & NEED_JOIN) {
		text_set(&p->where, r.where);
		p->has_where = r.has_where;
	}
	if (need & NEED_OWNER) {
		text_set(&p->owner, r.owners.owner);
		p->has_owner = r.owners.has_owner;
	}
	p->memlock = r.memlock;
	p->has_memlock = r.has_memlock;
}

static void maps_learn(struct env *env, struct history *s)
{
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;

	s->map_bytes = s->nr_maps = 0;
	if (select_all(env, &kind_map, &ids, &n, &why)) {
		report_add_unlisted(env->report, kind_map.noun, why.code);
		s->has_bytes = AVAIL_UNKNOWN;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct map_rec r = { 0 };
		const int err = map_read(env, env->arena, ids[i], NEED_FDINFO, &r, &why);

		s->nr_maps += err != -ENOENT;
		if (!err && r.has_memlock == AVAIL_YES)
			s->map_bytes += r.memlock;
		else if (err != -ENOENT)
			s->has_bytes = AVAIL_UNKNOWN;
		if (err && err != -ENOENT)
			report_unread(env->report, &why);
		err_clear(&why);
	}
}

int history_learn(struct history *s, const struct env *env, unsigned need, struct report *report, struct err *e)
{
	struct env one;
	int err;

	env_init(&one, env->opts, report);
	err = env_open(&one, e);
	s->has_bytes = AVAIL_YES;
	s->prog_bytes = 0;
	for (size_t i = 0; !err && i < s->n; i++) {
		prog_learn(&one, s->prog[i], need);
		s->prog_bytes += s->prog[i]->memlock;
		if (s->prog[i]->has_memlock != AVAIL_YES)
			s->has_bytes = AVAIL_UNKNOWN;
	}
	if (!err && need & NEED_FDINFO)
		maps_learn(&one, s);
	if (!err)
		report_add_refused(report, one.machine);
	env_close(&one);
	return err;
}
