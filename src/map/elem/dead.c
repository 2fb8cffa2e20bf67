/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/dead.h"

#include "cli/env.h"
#include "map/elem/walk.h"
#include "netns/devices.h"
#include "source/facts.h"
#include "types/btf.h"
#include "types/value/plan.h"

static const struct {
	const char *name;
	enum format format;
} names[] = {
	{ "pid", FORMAT_PID },	       { "tid", FORMAT_PID },
	{ "pid_tgid", FORMAT_PID },    { "tgid", FORMAT_TGID },
	{ "cgroup", FORMAT_CGROUP },   { "cgroup_id", FORMAT_CGROUP },
	{ "cgroupid", FORMAT_CGROUP }, { "cgrp_id", FORMAT_CGROUP },
	{ "cgid", FORMAT_CGROUP },     { "cgroup_inode_id", FORMAT_CGROUP },
	{ "netns", FORMAT_NETNS },     { "net_ns", FORMAT_NETNS },
	{ "netns_ino", FORMAT_NETNS }, { "netns_inum", FORMAT_NETNS },
	{ "ifindex", FORMAT_IFINDEX }, { "if_index", FORMAT_IFINDEX },
	{ "ifidx", FORMAT_IFINDEX },
};

enum format dead_format(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == n && !memcmp(names[i].name, name, n))
			return names[i].format;
	return FORMAT_NONE;
}

static bool names_something(enum format f)
{
	return f == FORMAT_PID || f == FORMAT_TGID || f == FORMAT_CGROUP || f == FORMAT_NETNS || f == FORMAT_IFINDEX;
}

/* Names in a plan are quoted. */
static enum format step_names(const struct step *s, const char *type, bool by_name)
{
	enum format f = FORMAT_NONE;

	if (s->op == STEP_FORMAT && !(s->flags & STEP_IMPLIED) && names_something((enum format)s->format))
		return (enum format)s->format;
	if (!by_name || step_op(s) > STEP_INT_LAST)
		return FORMAT_NONE;
	if (s->name_len > 2)
		f = dead_format(s->name + 1, s->name_len - 2);
	else if (type)
		f = dead_format(type,
				strlen(type) - (strlen(type) > 2 && !strcmp(type + strlen(type) - 2, "_t") ? 2 : 0));
	return format_fits(f, s->size) ? f : FORMAT_NONE;
}

/*
 * In a key or value of @size bytes; its type may have more. Elements of arrays and members of unions, of which it is
 * not known which one is there, are left out.
 */
static void dead_members_find(struct dead *d, const struct value_plan *p, uint32_t size, bool of_value, bool by_name,
			      const char *type)
{
	for (uint32_t i = 0; p && i < p->n && d->n < DEAD_MEMBERS;) {
		const struct step *s = &p->step[i];
		const enum format f = step_names(s, type, by_name);

		if (f && s->size <= size && s->off <= size - s->size)
			d->member[d->n++] = (struct dead_member){ f, of_value, s->off, s->size };
		i = step_has_members(s) && !(s->flags & STEP_UNION) ? i + 1 : step_next(p, i);
	}
}

/* "pid_t"; NULL: the key has no type. */
static const char *key_type(struct env *env, const struct abi_map_info *info)
{
	const struct btf_types *t;
	struct err why = { 0 };

	if (!info->btf_id || !info->btf_key_type_id || walk_btf(env, info, &t, &why))
		return NULL;
	return btf_name(t, info->btf_key_type_id);
}

static int pids_check(struct env *env, struct err *e)
{
	const char *pids;
	char *access;

	if (machine_is_saved(env->machine))
		return err_set(e, -ENODATA, "which processes there were was not saved");
	pids = ask_lines(env->machine, env->keep, &access, Q_ACCESS) ? NULL : facts_access(access, "pids", env->keep);
	if (pids && !strcmp(pids, "initial"))
		return 0;
	err_set(e, -ENODATA, "BPF programs see process numbers that are not those here, in another process namespace");
	return err_hint(e, "run it in the initial process namespace: `nsenter -t 1 -p -m ...`");
}

static int cgroups_check(struct env *env, struct err *e)
{
	struct refusal **mark = env->machine->refused_end;

	if (facts_cgroup(env->machine, CGROUP_ROOT) && !*mark)
		return 0;
	return err_set(e, -ENODATA, "not all cgroups can be seen from here");
}

/* All namespaces, and with @devices the indexes of the devices in them. */
static int namespaces_read(struct dead *d, bool devices, struct err *e)
{
	struct refusal **mark = d->env->machine->refused_end;
	const size_t unread = d->env->report->unread;
	const struct net_ns *ns;
	size_t n = 0;
	int err = net_namespaces(d->env, true, &ns, &n, e);

	for (size_t i = 0; !err && i < n; i++) {
		struct net_devs devs = { 0 };

		*hash_put(&d->netns, ns[i].ino) = d;
		err = devices ? net_devs_read(d->env, &ns[i], &devs, e) : 0;
		for (size_t k = 0; !err && k < devs.n; k++)
			*hash_put(&d->devices, devs.dev[k].ifindex) = d;
	}
	if (!err && (*mark || d->env->report->unread > unread))
		err = err_set(e, -ENODATA, "not all network namespaces could be read");
	return err;
}

static bool has_format(const struct dead *d, enum format f)
{
	for (unsigned i = 0; i < d->n; i++)
		if (d->member[i].format == f)
			return true;
	return false;
}

static int there_read(struct dead *d, struct err *e)
{
	int err = 0;

	if (has_format(d, FORMAT_PID) || has_format(d, FORMAT_TGID))
		err = pids_check(d->env, e);
	if (!err && has_format(d, FORMAT_CGROUP))
		err = cgroups_check(d->env, e);
	if (!err && (has_format(d, FORMAT_NETNS) || has_format(d, FORMAT_IFINDEX)))
		err = namespaces_read(d, has_format(d, FORMAT_IFINDEX), e);
	return err;
}

int dead_init(struct dead *ret, struct env *env, const struct abi_map_info *info, const struct elem_form *form,
	      bool chosen, struct err *e)
{
	*ret = (struct dead){ .env = env, .big = form->big, .key_size = form->key_size };
	hash_init(&ret->netns, env->keep);
	hash_init(&ret->devices, env->keep);
	if (chosen) {
		dead_members_find(ret, form->key, form->key_size, false, false, NULL);
		dead_members_find(ret, form->cpus ? NULL : form->value, form->value_size, true, false, NULL);
	}
	if (!ret->n)
		dead_members_find(ret, form->key, form->key_size, false, true, key_type(env, info));
	if (ret->n)
		return there_read(ret, e);
	err_usage(e, "its keys are not known to name processes, cgroups, network namespaces or devices");
	return err_hint(
		e, "name a member: --format key.MEMBER=pid, tgid, cgroup, netns or ifindex; key=pid for a whole key");
}

/* A thread or process; the number may have been given to another one since. */
static bool pid_is_gone(const struct dead *d, const struct dead_member *m, uint64_t v)
{
	const uint64_t pid = m->format == FORMAT_TGID && v >> 32 ? v >> 32 : (uint32_t)v;
	ARENA_SCOPE(d->env->arena);
	struct blob b;
	int err;

	if (!pid)
		return false;
	err = ask_silently(d->env->machine, d->env->arena, &b, Q_TASK_CGROUP, pid);
	if (err && err != -ENOENT && err != -ESRCH)
		note_refused(d->env->machine, err, Q_TASK_CGROUP, pid);
	return err == -ENOENT || err == -ESRCH;
}

static bool member_is_gone(const struct dead *d, const struct dead_member *m, uint64_t v)
{
	if (!v)
		return false;
	switch (m->format) {
	case FORMAT_CGROUP:
		return !facts_cgroup(d->env->machine, v);
	case FORMAT_NETNS:
		return !hash_get(&d->netns, v);
	case FORMAT_IFINDEX:
		return !hash_get(&d->devices, v);
	default:
		return pid_is_gone(d, m, v);
	}
}

bool dead_is(const struct dead *d, const unsigned char *key, int err)
{
	for (unsigned i = 0; i < d->n; i++) {
		const struct dead_member *m = &d->member[i];
		const unsigned char *p = key + (m->of_value ? d->key_size : 0) + m->off;

		if (!(m->of_value && err) && member_is_gone(d, m, load_uint(p, m->size, d->big)))
			return true;
	}
	return false;
}
