/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/read.h"

#include "cli/env.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/info.h"
#include "kernel/abi.h"

/* The programs of a process that its silent events can run. */
struct guess {
	uint32_t prog_id, n;
};

static uint64_t held_key(uint32_t pid, uint32_t prog_id)
{
	return (uint64_t)pid << 32 | prog_id;
}

static bool is_asked(const struct perf_rec *fd)
{
	return fd->silent && !fd->covered && !fd->first;
}

/* The processes with events of unknown programs. False: there are none. */
static bool guesses_begin(struct env *env, const struct perf_set *set, struct hash *ret)
{
	bool any = false;

	hash_init(ret, env->keep);
	for (size_t i = 0; i < set->nfds; i++) {
		void **slot = is_asked(&set->fds[i]) ? hash_put(ret, set->fds[i].pid) : NULL;

		if (slot && !*slot)
			*slot = arena_alloc(env->keep, sizeof(struct guess));
		any |= slot != NULL;
	}
	return any;
}

/* What a process attached by a link is probably not what it also attached without one. */
static void linked_read(struct env *env, const struct perf_set *set, struct hash *ret)
{
	hash_init(ret, env->keep);
	for (size_t i = 0; i < set->nlinks; i++) {
		uint32_t n;
		const struct holder *h = facts_holders(env->machine, OBJECT_LINK, set->links[i].link_id, &n);

		for (uint32_t k = 0; k < n; k++)
			*hash_put(ret, held_key(h[k].pid, set->links[i].prog_id)) = ret;
	}
}

static bool is_for_events(struct env *env, uint32_t prog_id)
{
	ARENA_SCOPE(env->arena);
	struct abi_prog_info info;
	uint32_t len;

	return !info_get(env->machine, env->arena, OBJECT_PROG, prog_id, &info, sizeof(info), &len) &&
	       info.type == ABI_PROG_PERF_EVENT;
}

void perf_guess(struct env *env, struct perf_set *set)
{
	const struct holders *all;
	struct hash pids, linked;

	if (!guesses_begin(env, set, &pids))
		return;
	linked_read(env, set, &linked);
	all = facts_all_holders(env->machine);
	for (size_t i = 0; i < holders_count(all); i++) {
		enum object_kind kind;
		uint32_t id;
		const struct holder *h = holders_at(all, i, &kind, &id);
		struct guess *g = kind == OBJECT_PROG ? hash_get(&pids, h->pid) : NULL;

		if (!g || hash_get(&linked, held_key(h->pid, id)) || !is_for_events(env, id))
			continue;
		g->prog_id = id;
		g->n++;
	}
	for (size_t i = 0; i < set->nfds; i++) {
		struct perf_rec *fd = &set->fds[i];
		const struct guess *g = is_asked(fd) ? hash_get(&pids, fd->pid) : NULL;

		if (g && g->n == 1)
			fd->prog_id = g->prog_id;
		else if (fd->silent && fd->first)
			fd->prog_id = fd->first->prog_id;
		if (fd->silent && fd->prog_id)
			fd->has_prog = AVAIL_YES;
	}
}
