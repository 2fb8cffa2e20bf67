/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/site.h"

#include "base/near.h"
#include "cli/env.h"
#include "object/usdt.h"
#include "source/source.h"
#include "host/elf/func.h"
#include "kernel/perf/names.h"

int trace_pmu(struct env *env, const char *name, uint32_t *ret)
{
	size_t n = strlen(name);
	struct blob b;
	char *text;
	int err = ask(env->machine, env->arena, &b, Q_PMUS);

	if (err)
		return err;
	text = blob_text(env->arena, &b);
	for (char *line = text, *end; *line; line = end + 1) {
		char *blank = strchr(line, ' ');

		end = strchrnul(line, '\n');
		if (blank && blank < end && (size_t)(end - blank - 1) == n && !strncmp(blank + 1, name, n)) {
			*blank = '\0';
			return num_parse_u32(line, ret);
		}
		if (!*end)
			break;
	}
	return -ENOENT;
}

/* "NAME+OFF". If no number follows the plus sign, it is part of the name. */
static char *cut_offset(struct env *env, const char *text, uint64_t *ret)
{
	char *copy = arena_str(env->keep, text, SIZE_MAX), *plus = strrchr(copy, '+');

	if (plus && !num_parse_u64(plus + 1, ret))
		*plus = '\0';
	return copy;
}

static int parse_tracepoint(struct env *env, const char *where, struct trace_site *ret)
{
	char *copy = arena_str(env->keep, where, SIZE_MAX), *colon = strpbrk(copy, ":/");

	ret->name = copy;
	if (colon) {
		*colon = '\0';
		ret->category = copy;
		ret->name = colon + 1;
	}
	return 0;
}

static int parse_kprobe(struct env *env, const char *where, struct trace_site *ret)
{
	if (!strncmp(where, "0x", 2) && !num_parse_u64(where, &ret->addr))
		return 0;
	ret->name = cut_offset(env, where, &ret->offset);
	return 0;
}

static int find_function(struct env *env, const char *text, struct trace_site *ret, struct err *e)
{
	uint64_t more = 0;
	const char *symbol = cut_offset(env, text, &more);
	struct elf_func func;
	int err = elf_func_find(ret->name, symbol, &func);

	if (err == -ENODATA)
		return err_set(e, -ENOENT, "%s has no function %s in its symbol tables", ret->name, symbol);
	if (err == -ENOTUNIQ) {
		err_set(e, err, "%s has several functions named %s", ret->name, symbol);
		return err_hint(e, "select one by its offset in the file: %s:0xOFFSET", ret->name);
	}
	if (err == -ENOEXEC)
		return err_set(e, err, "%s is not a program or library", ret->name);
	if (err)
		return err_sys(e, err, "%s", ret->name);
	if (func.size && more >= func.size)
		return err_set(e, -ERANGE, "%s: %s has %llu byte%s, offset %llu is outside it", ret->name, symbol,
			       llu(func.size), plural(func.size), llu(more));
	ret->offset = func.offset + more;
	return 0;
}

static int parse_path(struct env *env, const char *where, const char *colon, struct trace_site *ret, struct err *e)
{
	char *path = arena_str(env->keep, where, (size_t)(colon - where));

	ret->name = path;
	if (path[0] != '/') {
		CLEAN_PTR char *whole = realpath(path, NULL);

		if (!whole)
			return err_sys(e, -errno, "%s", path);
		ret->name = arena_str(env->keep, whole, SIZE_MAX);
	}
	return 0;
}

/* Keeps the probes of that name. */
static int probes_choose(const char *provider, const char *name, struct trace_site *ret, struct arena *a, struct err *e)
{
	struct usdt_probe *chosen = arena_array(a, ret->usdt.n + 1, sizeof(*chosen));
	struct near near = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ret->usdt.n; i++) {
		const struct usdt_probe *p = &ret->usdt.probes[i];

		if (!strcmp(p->provider, provider) && !strcmp(p->name, name))
			chosen[n++] = *p;
		else
			near_offer(&near, name, p->name);
	}
	ret->usdt.probes = chosen;
	ret->usdt.n = n;
	ret->offset = chosen[0].offset;
	if (n)
		return 0;
	err_set(e, -ENOENT, "%s has no probe %s:%s", ret->name, provider, name);
	return near.n ? near_hint(&near, e) : err_hint_word(e, "`object usdt ", ret->name, "` lists its probes");
}

static int parse_usdt(struct env *env, const char *where, struct trace_site *ret, struct err *e)
{
	const char *name = strrchr(where, ':'), *provider = name ? memrchr(where, ':', (size_t)(name - where)) : NULL;
	int err;

	if (!provider || provider == where || name == provider + 1 || !name[1])
		return err_usage(e, "'%s' is not a probe in a file: PATH:PROVIDER:NAME", where);
	err = parse_path(env, where, provider, ret, e);
	if (!err)
		err = usdt_probes_read(&ret->usdt, ret->name, env->keep, e);
	return err ? err :
		     probes_choose(arena_str(env->keep, provider + 1, (size_t)(name - provider - 1)), name + 1, ret,
				   env->keep, e);
}

static int parse_uprobe(struct env *env, const char *where, struct trace_site *ret, struct err *e)
{
	const char *colon = strrchr(where, ':');
	int err;

	if (!colon || colon == where || !colon[1])
		return err_usage(e,
				 "'%s' is not a place in a file: PATH:FUNCTION, PATH:FUNCTION+OFFSET or PATH:0xOFFSET",
				 where);
	err = parse_path(env, where, colon, ret, e);
	if (err)
		return err;
	if (colon[1] >= '0' && colon[1] <= '9') {
		if (!num_parse_u64(colon + 1, &ret->offset))
			return 0;
		err_usage(e, "'%s' is not an offset in a file", colon + 1);
		return err_hint(e, "use PATH:0xOFFSET, in bytes from the beginning of the file");
	}
	return find_function(env, colon + 1, ret, e);
}

/* "msr:3", "10:3": events of devices and modules. */
static int parse_event(struct env *env, const char *where, struct trace_site *ret, struct err *e)
{
	int err = perf_event_parse(where, &ret->type, &ret->config, e);
	const char *colon = strchr(where, ':');
	char *type;

	if (err != -ENOENT || e->code || !colon)
		return err;
	type = arena_str(env->keep, where, (size_t)(colon - where));
	if (num_parse_u32(type, &ret->type) && trace_pmu(env, type, &ret->type)) {
		err_usage(e, "'%s' is not a type of perf event on this machine", type);
		return err_hint(
			e,
			"use hardware, software, hw-cache, raw, a number, or a name in /sys/bus/event_source/devices");
	}
	if (num_parse_u64(colon + 1, &ret->config)) {
		err_usage(e, "'%s' is not the number of an event of %s", colon + 1, type);
		return err_hint(e, "events of %s are numbers: %s:0x3", type, type);
	}
	return 0;
}

int trace_site_parse(struct env *env, const char *where, const char *what, struct trace_site *ret, struct err *e)
{
	struct trace_site site = { 0 };
	int err = 0;

	site.hook = hook_find(what, HOOK_BIT(HOOK_EVENT));
	if (!site.hook)
		return -ENOENT;
	if (site.hook->arg == ABI_PERF_TRACEPOINT)
		err = parse_tracepoint(env, where, &site);
	else if (site.hook->arg == HOOK_RAW_TRACEPOINT)
		site.name = where;
	else if (site.hook->arg == ABI_PERF_EVENT)
		err = parse_event(env, where, &site, e);
	else if (site.hook->arg == HOOK_USDT)
		err = parse_usdt(env, where, &site, e);
	else if (trace_is_uprobe(site.hook))
		err = parse_uprobe(env, where, &site, e);
	else
		err = parse_kprobe(env, where, &site);
	if (!err)
		*ret = site;
	return err;
}
