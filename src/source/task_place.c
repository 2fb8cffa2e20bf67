/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/task_place.h"

#include "source/facts_state.h"

#define CONTAINER_ID 64 /* hexadecimal digits */

/* "0::/system.slice/x.service"; with cgroup v1, units may be in "1:name=systemd:/...". */
static unsigned rank(const char *controllers, const char *path)
{
	const bool root = !strcmp(path, "/");

	return *path != '/'				     ? 0 :
	       !*controllers				     ? (root ? 1 : 3) :
	       !strcmp(controllers, "name=systemd") && !root ? 2 :
							       0;
}

static const char *path_of(char *text)
{
	const char *ret = NULL;
	unsigned best = 0;

	for (char *line; (line = strsep(&text, "\n"));) {
		const char *number = strsep(&line, ":"), *controllers = strsep(&line, ":");

		(void)number;
		if (line && rank(controllers, line) > best) {
			best = rank(controllers, line);
			ret = line;
		}
	}
	return ret;
}

static bool has_end(const char *s, size_t n, const char *end)
{
	const size_t len = strlen(end);

	return n > len && !memcmp(s + n - len, end, len);
}

/* By systemd.unit(5): systemctl would take another name as a pattern, or as another unit's. */
static bool is_unit(const char *s, const char *type)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@";

	return has_end(s, strlen(s), type) && !s[strspn(s, valid)];
}

/* The id in "docker-ID.scope", "cri-containerd-ID.scope", "ID"; NULL: there is none. */
static const char *container_id(const char *s, size_t n)
{
	for (const char *p = s; n >= CONTAINER_ID && p <= s + n - CONTAINER_ID; p++) {
		const size_t digits = strspn(p, "0123456789abcdef");

		if (digits == CONTAINER_ID && (p == s || p[-1] == '-' || p[-1] == ':') &&
		    (p + digits == s + n || p[digits] == '.'))
			return p;
		p += digits;
	}
	return NULL;
}

/* One of these prefixes is followed by the name. */
static const struct {
	const char *before, *after;
} named[] = {
	{ "lxc.payload.", "" },
	{ "systemd-nspawn@", ".service" },
};

static const char *container_name(const char *s, size_t n, struct arena *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		const size_t before = strlen(named[i].before), after = strlen(named[i].after);

		if (n > before + after && !memcmp(s, named[i].before, before) && has_end(s, n, named[i].after))
			return arena_str(a, s + before, n - before - after);
	}
	return NULL;
}

/* The user's number in "user@1000.service", which runs that user's own systemd; NULL: another name. */
static const char *user_of(const char *s, size_t n, struct arena *a)
{
	static const char before[] = "user@", after[] = ".service";
	const size_t least = strlen(before) + strlen(after);
	const char *digits = s + strlen(before);

	if (n <= least || !str_starts(s, before) || !has_end(s, n, after) || strspn(digits, "0123456789") != n - least)
		return NULL;
	return arena_str(a, digits, n - least);
}

/* The units of one systemd: below its slices only, because the processes of a unit may name cgroups as units. */
struct level {
	const char *above, *unit; /* above: the part of the path that runs this systemd; NULL: the first one */
	bool in_slices;
};

static const char *join(const char *above, const char *s, struct arena *a)
{
	return above ? arena_fmt(a, "%s/%s", above, s) : s;
}

static void part_read(const char *s, size_t n, struct arena *a, struct level *at, struct task_place *ret)
{
	const char *id = container_id(s, n), *part = arena_str(a, s, n), *user;
	const char *name = part + (*part == '_'); /* systemd escapes names that are also those of the kernel's files */
	const char *container = id ? arena_str(a, id, CONTAINER_ID) : container_name(s, n, a);
	const bool slice = is_unit(name, ".slice"), unit = is_unit(name, ".service") || is_unit(name, ".scope");

	if (at->in_slices && (slice || unit)) {
		at->unit = name;
		ret->unit = join(at->above, name, a);
	}
	at->in_slices &= slice;
	user = at->unit == name && !at->above ? user_of(s, n, a) : NULL;
	if (user || container)
		*at = (struct level){ .above = join(at->above, part, a), .in_slices = true };
	ret->container = container ? container : ret->container;
	ret->user = user ? user : ret->user;
}

void task_place_parse(char *text, struct arena *a, struct task_place *ret)
{
	const char *path = path_of(text);
	struct level at = { .in_slices = true };

	*ret = (struct task_place){ .cgroup = path ? arena_str(a, path, SIZE_MAX) : NULL };
	for (const char *p = path; p && *p; p += strcspn(p, "/")) {
		p += strspn(p, "/");
		part_read(p, strcspn(p, "/"), a, &at, ret);
	}
	if (at.unit && !ret->container && is_unit(at.unit, ".service"))
		ret->service = at.unit;
}

const struct task_place *facts_task_place(struct machine *m, uint32_t pid)
{
	struct facts *f = m->facts;
	struct known {
		struct task_place place;
		bool there;
	} * k;
	char *text;

	if (!f->task_places) {
		f->task_places = arena_alloc(f->arena, sizeof(*f->task_places));
		hash_init(f->task_places, f->arena);
	}
	k = hash_get(f->task_places, pid);
	if (!k) {
		k = arena_alloc(f->arena, sizeof(*k));
		k->there = !ask_lines(m, f->arena, &text, Q_TASK_CGROUP, pid);
		if (k->there)
			task_place_parse(text, f->arena, &k->place);
		*hash_put(f->task_places, pid) = k;
	}
	return k->there ? &k->place : NULL;
}
