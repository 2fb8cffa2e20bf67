/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/counters.h"

#include <linux/bpf.h>

#include "base/wide.h"

static bool is_array(const struct abi_map_info *info)
{
	return info->type == BPF_MAP_TYPE_ARRAY || info->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/* The hint lists the numbers to choose from. */
static int hint_names(const struct leaves *l, const char *root, struct err *e)
{
	STR names = { 0 };

	for (size_t i = 0; i < l->n && names.n < 100; i++) {
		const struct leaf *leaf = &l->leaf[i];
		size_t n = strlen(leaf->path) - (leaf->list ? strlen("[0]") : 0);

		if (!leaf->number)
			continue;
		str_fmt(&names, "%s%s%.*s", names.n ? ", " : "", root, (int)n, leaf->path);
		i += leaf->list ? leaf->list - 1 : 0;
	}
	return names.n ? err_hint(e, "there are %.140s", names.p) : -EINVAL;
}

static void counter_take(struct elem_counters *ret, const struct leaf *l, const char *root, struct arena *a)
{
	size_t n = strlen(l->path) - (l->list ? strlen("[0]") : 0);

	ret->leaf = l;
	ret->n = l->list;
	ret->form = l->list ? COUNTERS_LIST : COUNTERS_MEMBER;
	ret->name = arena_fmt(a, "%s%.*s", root, (int)n, l->path);
}

static int find_named(struct elem_counters *ret, const char *member, const struct elem_form *form, struct arena *a,
		      struct err *e)
{
	bool key = str_starts(member, "key") && (!member[3] || strchr(".[", member[3]));
	bool value = str_starts(member, "value") && (!member[5] || strchr(".[", member[5]));
	const char *root = key ? "key" : "value", *path = key	? member + 3 :
							  value ? member + 5 :
								  arena_fmt(a, ".%s", member);
	const char *list = arena_fmt(a, "%s[0]", path);
	const struct value_plan *plan = key ? form->key : form->value;
	struct leaves l = { 0 };

	if (!plan) {
		err_usage(e, "the map's %s has no type and is not an integer", root);
		return err_hint(e, "only maps with type information, or of integers, can be drawn");
	}
	leaves_find(&l, plan, a);
	for (size_t i = 0; i < l.n; i++) {
		if (!l.leaf[i].number ||
		    (strcmp(l.leaf[i].path, path) && !(l.leaf[i].list && !strcmp(l.leaf[i].path, list))))
			continue;
		/* The name of the first element of a list, with [0], is a single number. */
		if (!strcmp(l.leaf[i].path, path))
			l.leaf[i].list = 0;
		ret->of_value = !key;
		counter_take(ret, &l.leaf[i], root, a);
		return 0;
	}
	err_usage(e, "%s%.64s is neither a number nor an array of numbers", root, path);
	return hint_names(&l, root, e);
}

#define COUNTER_MIN sizeof(uint32_t) /* lists of smaller numbers are addresses, names or flags */

static int find_obvious(struct elem_counters *ret, const struct abi_map_info *info, const struct elem_form *form,
			struct arena *a, struct err *e)
{
	const struct leaf *list = NULL, *slots = NULL, *number = NULL;
	size_t lists = 0, numbers = 0;
	struct leaves l;

	if (!form->value) {
		err_usage(e, "the map's value has no type and is not an integer");
		return err_hint(e, "only maps with type information, or of integers, can be drawn");
	}
	leaves_find(&l, form->value, a);
	for (size_t i = 0; i < l.n; i++) {
		if (!l.leaf[i].number)
			continue;
		if (!l.leaf[i].list) {
			number = &l.leaf[i];
			numbers++;
			continue;
		}
		if (l.leaf[i].size >= COUNTER_MIN) {
			list = &l.leaf[i];
			lists++;
		}
		if (!strcmp(l.leaf[i].path, ".slots[0]"))
			slots = &l.leaf[i];
		i += l.leaf[i].list - 1;
	}
	list = slots ? slots : lists == 1 ? list : NULL;
	if (!list && (lists || numbers != 1)) {
		err_usage(e, "name the member of the value to draw");
		return l.n ? hint_names(&l, "member value", e) : -EINVAL;
	}
	ret->of_value = true;
	counter_take(ret, list ? list : number, "value", a);
	if (!list && l.n == 1 && is_array(info)) {
		ret->form = COUNTERS_INDEX;
		ret->n = info->max_entries;
	}
	return 0;
}

int counters_find(struct elem_counters *ret, const char *member, const struct abi_map_info *info,
		  const struct elem_form *form, struct arena *a, struct err *e)
{
	*ret = (struct elem_counters){ 0 };
	return member ? find_named(ret, member, form, a, e) : find_obvious(ret, info, form, a, e);
}

bool counters_number(const struct elem_counters *c, const struct elem_form *f, const unsigned char *key, uint32_t i,
		     struct wide *ret)
{
	return leaf_number(c->leaf + i, c->of_value ? key + f->key_size : key,
			   c->of_value ? f->value_size : f->key_size, ret);
}

uint64_t counters_slot(const struct elem_counters *c, const struct elem_form *f, const unsigned char *key, uint32_t i)
{
	struct wide v;

	if (!counters_number(c, f, key, i, &v) || wide_is_neg(v))
		return 0;
	return v.hi ? UINT64_MAX : v.lo;
}
