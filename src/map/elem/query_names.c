/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/query_names.h"

#include <strings.h>

#include "base/near.h"
#include "types/value/member.h"

/* "bytes": a member of the value or of the key, if only one of them has it. 1: neither has it; 0 or -EINVAL. */
static int short_find(const struct query_names *n, const char *name, struct member *ret, bool *ret_of_value,
		      struct err *e)
{
	const char *path = *name == '[' ? name : NULL;
	struct member of_key, of_value;
	bool key, value;
	char dotted[256];

	if (!path && (size_t)snprintf(dotted, sizeof(dotted), ".%s", name) >= sizeof(dotted))
		return 1;
	path = path ? path : dotted;
	key = n->key && !n->key_bare && !member_find(&of_key, n->key, "key", path, NULL);
	value = n->value && !n->value_bare && !member_find(&of_value, n->value, "value", path, NULL);
	if (key && value)
		return err_usage(e, "'%.64s' is a member of key and of value: use key.%.64s or value.%.64s", name, name,
				 name);
	if (!key && !value)
		return 1;
	*ret = value ? of_value : of_key;
	*ret_of_value = value;
	return 0;
}

const char *names_root(const char *name, bool *ret_of_value)
{
	const bool of_value = str_starts(name, "value");
	const char *path = name + (of_value ? strlen("value") : strlen("key"));

	if ((!of_value && !str_starts(name, "key")) || (*path && *path != '.' && *path != '['))
		return NULL;
	*ret_of_value = of_value;
	return path;
}

/* Members whose names are near to an unknown one. */
struct similar {
	const char *name;
	struct near near;
	struct arena *arena;
};

static void similar_offer(void *ctx, const char *path)
{
	struct similar *s = ctx;

	if (*path == '.' && near_is(s->name, path + 1))
		near_offer(&s->near, s->name, arena_str(s->arena, path + 1, strlen(path + 1)));
}

static int no_member(const struct query_names *n, const char *name, struct err *e)
{
	ARENA a = arena_new();
	struct similar s = { .name = name, .arena = a };

	/* Too many names are near to a single character. */
	if (n->key && !n->key_bare && strlen(name) > 1)
		members_each(n->key, similar_offer, &s);
	if (n->value && !n->value_bare && strlen(name) > 1)
		members_each(n->value, similar_offer, &s);
	err_usage(e, "'%.64s' is neither key, value, nor a member of them", name);
	if (s.near.n)
		return near_hint(&s.near, e);
	return err_hint(e, "members are named key.MEMBER and value.MEMBER, or MEMBER if only one of them has it");
}

/* "peers[9]" of a list of 4: -EINVAL. 1: no such list has that name. */
static int list_end(const struct query_names *n, const char *name, struct err *e)
{
	char list[256], path[256];
	struct member m;
	bool of_value = false;

	str_fit(path, sizeof(path), ".%s", name);
	for (size_t len = strlen(name); len--;) {
		if (name[len] != '[')
			continue;
		str_fit(list, sizeof(list), "%.*s", (int)len, name);
		if (!short_find(n, list, &m, &of_value, NULL))
			return member_find(&m, of_value ? n->value : n->key, of_value ? "value" : "key", path, e);
	}
	return 1;
}

int names_find(const struct query_names *n, const char *name, struct member *ret, bool *ret_of_value, struct err *e)
{
	const struct value_plan *plan;
	bool of_value;
	const char *path = names_root(name, &of_value);
	int err;

	if (!path) {
		err = short_find(n, name, ret, ret_of_value, e);
		err = err > 0 ? list_end(n, name, e) : err;
		return err > 0 ? no_member(n, name, e) : err;
	}
	plan = of_value ? n->value : n->key;
	if (!plan)
		return err_usage(e, "the map has no %s", of_value ? "values" : "keys");
	*ret_of_value = of_value;
	err = member_find(ret, plan, of_value ? "value" : "key", path, e);
	if (err && (of_value ? n->value_bare : n->key_bare))
		err_hint(e, "without type information, key and value are integers, or bytes as in value[2]");
	return err;
}

/* "KEY.SADDR": the path after it; NULL: it does not begin with @root. */
static char *root_spelled(char *name, const char *root)
{
	const size_t n = strlen(root);

	if (strncasecmp(name, root, n) != 0 || (name[n] && name[n] != '.' && name[n] != '['))
		return NULL;
	memcpy(name, root, n);
	return name + n;
}

/* NULL: it does not begin with key or value, or no member differs from it in case only. */
static const char *spelled(const struct query_names *n, bool of_value, bool with_root, const char *name,
			   struct arena *a)
{
	const struct value_plan *plan = of_value ? n->value : n->key;
	char *ret = arena_str(a, name, SIZE_MAX),
	     *path = with_root ? root_spelled(ret, of_value ? "value" : "key") : ret;

	if (!plan || !path)
		return NULL;
	member_spell(plan, path);
	return with_root || strcmp(ret, name) ? ret : NULL;
}

const char *names_spell(const struct query_names *n, const char *name, struct arena *a)
{
	struct member m;
	bool of_value;

	if (!names_find(n, name, &m, &of_value, NULL))
		return name;
	for (unsigned i = 0; i < 4; i++) {
		const char *ret = spelled(n, i & 1, i < 2, name, a);

		if (ret)
			return ret;
	}
	return name;
}

enum row_name names_row(const struct query_names *n, const char *name)
{
	if (n->cpus && !strcasecmp(name, "cpu"))
		return ROW_CPU;
	return !strcasecmp(name, "map_id") ? ROW_MAP : ROW_NONE;
}
