/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/read.h"

#include "cli/env.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/keys.h"
#include "host/holders.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"

/* Open files and links that cannot be distinguished: any file and any link of them are a pair. */
struct same {
	uint32_t files, links, files_seen, links_seen;
	struct perf_rec *link;
};

static void *slot_value(struct env *env, void **slot)
{
	if (slot && !*slot)
		*slot = arena_alloc(env->keep, sizeof(struct same));
	return slot ? *slot : NULL;
}

/* Before Linux 6.6, only the program of a perf event link is known. */
static bool has_bare_links(const struct perf_set *set)
{
	for (size_t i = 0; i < set->nlinks; i++)
		if (!perf_has_place(&set->links[i]))
			return true;
	return false;
}

static bool is_raw_tracepoint(const struct perf_rec *r)
{
	return !strcmp(r->type, hook_of(HOOK_EVENT, HOOK_RAW_TRACEPOINT)->word);
}

static struct same *same_of(struct env *env, struct keys *k, const struct perf_rec *r, bool bare)
{
	bare = bare && !is_raw_tracepoint(r);
	return slot_value(env, keys_put(k, bare ? arena_fmt(env->keep, "%u", r->prog_id) :
						  arena_fmt(env->keep, "%u %s %s", r->prog_id, r->type, r->where)));
}

/* One descriptor of each open file is counted. */
static bool counts(const struct perf_rec *fd)
{
	return !fd->first && !fd->silent;
}

static void count_places(struct env *env, struct perf_set *set, struct keys *k, bool bare)
{
	for (size_t i = 0; i < set->nlinks; i++) {
		struct same *s = same_of(env, k, &set->links[i], bare);

		if (!s)
			continue;
		s->links++;
		s->link = &set->links[i];
	}
	for (size_t i = 0; i < set->nfds; i++) {
		struct same *s = counts(&set->fds[i]) ? same_of(env, k, &set->fds[i], bare) : NULL;

		if (s)
			s->files++;
	}
}

/* The kernel reports the place only for the descriptor. */
static void take_place(struct perf_rec *link, const struct perf_rec *fd)
{
	link->type = fd->type;
	link->where = fd->where;
	link->tracepoint = fd->tracepoint;
	link->func = fd->func;
	link->filename = fd->filename;
	link->offset = fd->offset;
	link->addr = fd->addr;
	link->has_offset = fd->has_offset;
	link->has_addr = fd->has_addr;
}

/* The descriptor of a raw tracepoint is a link's: those that open the same link by its id have a file each. */
static bool is_covered(const struct perf_rec *fd, struct same *s)
{
	if (fd->first)
		return fd->first->covered;
	return s->files_seen++ < s->links || (s->links && is_raw_tracepoint(fd));
}

static void match_places(struct env *env, struct perf_set *set)
{
	bool bare = has_bare_links(set);
	struct keys k;

	keys_init(&k, env->keep);
	count_places(env, set, &k, bare);
	for (size_t i = 0; i < set->nfds; i++) {
		struct perf_rec *fd = &set->fds[i];
		struct same *s = fd->silent ? NULL : same_of(env, &k, fd, bare);

		if (!s)
			continue;
		fd->covered = is_covered(fd, s);
		if (s->links != 1 || (s->files != 1 && !is_raw_tracepoint(fd)))
			continue;
		fd->link_id = s->link->link_id;
		fd->cookie = s->link->cookie;
		if (!perf_has_place(s->link))
			take_place(s->link, fd);
	}
	for (size_t i = 0; i < set->nlinks; i++) {
		struct same *s = same_of(env, &k, &set->links[i], bare);

		set->links[i].covered = s && s->links_seen++ < s->files;
	}
}

/* A link of an event that is neither a probe nor a tracepoint: the kernel does not report the program of its
 * descriptor. */
static bool may_be_silent(const struct perf_rec *link)
{
	return !strcmp(link->type, hook_of(HOOK_EVENT, ABI_PERF_EVENT)->word) && !link->covered;
}

static void take_link(struct perf_rec *fd, struct perf_rec *link)
{
	fd->prog_id = link->prog_id;
	fd->link_id = link->link_id;
	fd->cookie = link->cookie;
	fd->event = link->event;
	fd->where = link->where;
	fd->has_prog = AVAIL_YES;
	fd->silent = false;
	link->covered = true;
}

/* Per process: its silent events, and the links of silent events that it holds. */
static bool count_events(struct env *env, struct perf_set *set, struct hash *ret)
{
	bool any = false;

	for (size_t i = 0; i < set->nfds; i++) {
		if (!set->fds[i].silent || set->fds[i].first)
			continue;
		((struct same *)slot_value(env, hash_put(ret, set->fds[i].pid)))->files++;
		any = true;
	}
	for (size_t i = 0; i < set->nlinks && any; i++) {
		const struct holder *h;
		uint32_t n;

		if (!may_be_silent(&set->links[i]))
			continue;
		h = facts_holders(env->machine, OBJECT_LINK, set->links[i].link_id, &n);
		for (uint32_t k = 0; k < n; k++) {
			struct same *s = slot_value(env, hash_put(ret, h[k].pid));

			s->links++;
			s->link = &set->links[i];
		}
	}
	return any;
}

static void match_events(struct env *env, struct perf_set *set)
{
	struct hash pids;

	hash_init(&pids, env->keep);
	if (!count_events(env, set, &pids))
		return;
	for (size_t i = 0; i < set->nfds; i++) {
		struct perf_rec *fd = &set->fds[i];
		struct same *s;

		if (!fd->silent)
			continue;
		s = hash_get(&pids, fd->pid);
		if (fd->first || !s) {
			fd->covered = !fd->first || fd->first->covered;
			continue;
		}
		fd->covered = s->files_seen++ < s->links;
		if (s->links == 1 && s->files == 1)
			take_link(fd, s->link);
	}
}

void perf_match(struct env *env, struct perf_set *set)
{
	match_places(env, set);
	match_events(env, set);
}
