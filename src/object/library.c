/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "host/delegation.h"
#include "kernel/log.h"
#include "object/file.h"
#include "object/gather.h"
#include "object/read.h"
#include "object/refusals.h"

/* What a file has that versions of libbpf do not load, and the first that does. */
static bool has_struct_ops_link(const struct object *o)
{
	return object_section(o, ".struct_ops.link");
}

/* An address given by __ulong, or variables in an arena. */
static bool has_arena(const struct object *o)
{
	const struct object_map *maps;
	uint32_t n;

	object_maps(o, &maps, &n);
	for (uint32_t i = 0; i < n; i++)
		if (maps[i].map_extra && maps[i].type && !strcmp(maps[i].type, "arena"))
			return true;
	return object_section(o, ".addr_space.1");
}

static const struct {
	const char *what, *name;
	unsigned minor;
	bool (*is_in)(const struct object *o);
} additions[] = {
	{ "struct_ops with links", ".struct_ops.link", 2, has_struct_ops_link },
	{ "arenas with an address or variables", "arena", 5, has_arena },
};

#define TOKENS 4
static const char *lacks(const char *what, unsigned minor, struct arena *a)
{
	return arena_fmt(a, "this bpflens is linked with libbpf %s, which has no %s: build with 1.%u or newer",
			 log_library(), what, minor);
}

const char *object_unloadable(const struct object *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(additions); i++)
		if (!log_library_has(additions[i].minor) && additions[i].is_in(o))
			return lacks(additions[i].what, additions[i].minor, o->arena);
	return NULL;
}

static void lacking(struct gather *g, const char *name, const char *why)
{
	struct needed *n = gather_add(g, NEEDED_LIBBPF, name, NULL, NULL);

	if (!n)
		return;
	n->state = NEEDED_MISSING;
	n->why = why;
}

/* Here a token could allow it, but not to this libbpf. */
static bool lacks_tokens(const struct need_kernel *k)
{
	STR path = { 0 };

	return !k->file && !machine_is_saved(k->env->machine) && !log_library_has(TOKENS) && delegation_find(&path);
}

void gather_library(struct gather *g)
{
	const struct object *o = g->o;
	const struct object_refusal *all;
	uint32_t n;

	object_refusals(o, &all, &n);
	for (uint32_t i = 0; i < n; i++)
		lacking(g, arena_fmt(g->arena, "%s %s", all[i].part, all[i].name), all[i].why);
	for (size_t i = 0; i < ARRAY_SIZE(additions); i++)
		if (!log_library_has(additions[i].minor) && additions[i].is_in(o))
			lacking(g, additions[i].name, lacks(additions[i].what, additions[i].minor, g->arena));
	if (lacks_tokens(g->k))
		lacking(g, "token", lacks("tokens", TOKENS, g->arena));
}
