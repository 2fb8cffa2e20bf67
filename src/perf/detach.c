/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "link/link.h"
#include "perf/perf.h"
#include "perf/read.h"
#include "perf/site.h"
#include "record/change.h"
#include "kernel/abi.h"
#include "kernel/perf/names.h"

#define LINK_TYPES (1u << ABI_LINK_PERF_EVENT | 1u << ABI_LINK_RAW_TRACEPOINT)

/* A link reports the kernel's own type for clocks, which is not the type that was requested. */
static bool is_event(const struct perf_rec *r, const struct trace_site *s)
{
	uint32_t type = r->link ? r->link->info.perf_event.event.type : 0;
	uint64_t config = r->link ? r->link->info.perf_event.event.config : 0;

	perf_is_clock(&type, config);
	return r->event && type == s->type && config == s->config;
}

static bool is_at(const struct perf_rec *r, const struct trace_site *s)
{
	const bool usdt = s->hook->arg == HOOK_USDT;

	if (strcmp(r->type, usdt ? hook_of(HOOK_EVENT, ABI_PERF_UPROBE)->word : s->hook->word) != 0)
		return false;
	if (s->hook->arg == ABI_PERF_EVENT)
		return is_event(r, s);
	if (trace_is_uprobe(s->hook))
		return r->filename && r->offset == s->offset && !strcmp(r->filename, s->name);
	if (trace_is_kprobe(s->hook))
		return s->name ? r->func && r->offset == s->offset && !strcmp(r->func, s->name) :
				 !r->func && r->addr == s->addr;
	return r->tracepoint && !strcmp(r->tracepoint, s->name);
}

static const struct perf_rec *event_find(const struct perf_rec *recs, size_t n, uint32_t prog_id,
					 const struct trace_site *s, size_t *ret_n)
{
	const struct perf_rec *found = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		if (recs[i].prog_id != prog_id || !is_at(&recs[i], s))
			continue;
		found = found ? found : &recs[i];
		(*ret_n)++;
	}
	return found;
}

static int nowhere(const struct perf_set *set, uint32_t prog_id, const char *where, const char *what, struct err *e)
{
	err_set(e, -ENOENT, "program %u is not attached to %s %s", prog_id, where, what);
	for (size_t i = 0; i < set->nlinks; i++)
		if (set->links[i].prog_id == prog_id && !perf_has_place(&set->links[i]))
			return err_hint(
				e,
				"link %u attaches it, and Linux before 6.6 does not report where: `detach link id %u`",
				set->links[i].link_id, set->links[i].link_id);
	return hook_find(what, HOOK_BIT(HOOK_EVENT))->arg == HOOK_USDT ?
		       err_hint(e, "a link of several places is detached by its program: `detach id %u`", prog_id) :
		       e->code;
}

int trace_detach(struct env *env, uint32_t prog_id, const char *where, const char *what, bool dry_run,
		 struct change_rec *ret, struct err *e)
{
	const struct perf_rec *fd, *link;
	struct trace_site s;
	struct perf_set set;
	struct err why = { 0 };
	size_t n, nfds;
	int err = trace_site_parse(env, where, what, &s, e);

	if (err)
		return err;
	err = perf_read(env, LINK_TYPES, &set, &why);
	link = event_find(set.links, set.nlinks, prog_id, &s, &n);
	fd = event_find(set.fds, set.nfds, prog_id, &s, &nfds);
	if (!link && err)
		return *e = why, err;
	if (!link && !fd)
		return nowhere(&set, prog_id, where, what, e);
	if (!link) {
		err_set(e, -EOPNOTSUPP, "program %u is attached to %s %s by a descriptor of a process, without a link",
			prog_id, where, what);
		return err_hint(e, "end %s(%u)", fd->comm, fd->pid);
	}
	if (n > 1) {
		err_set(e, -ENOTUNIQ, "%zu links attach program %u to %s %s", n, prog_id, where, what);
		return err_hint(e, "`perf list -o +link_id` shows them, `detach link id N` detaches one");
	}
	err = link_take_off(env, link->link_id, dry_run, ret, e);
	if (err)
		return err;
	ret->where = where;
	ret->what = what;
	return 0;
}
