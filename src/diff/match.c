/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/side.h"

#include "cli/env.h"
#include "cli/kind.h"

/* The parts that must be equal in two objects to match them; the strictest rule first. An object without a needed part
 * is not matched by the rule. */
enum item_part {
	TYPE = 1 << 0,
	NAME = 1 << 1,
	TAG = 1 << 2,
	PLACES = 1 << 3,
	PINS = 1 << 4,
	USERS = 1 << 5,
	ANY = 1 << 6
};
static const struct rule {
	enum object_kind kind;
	unsigned parts;
	unsigned needed;
} rules[] = {
	{ OBJECT_PROG, TYPE | NAME | TAG | PLACES | PINS, TAG },
	{ OBJECT_PROG, TYPE | NAME | TAG | PLACES, TAG },
	{ OBJECT_PROG, TYPE | NAME | TAG, TAG },
	{ OBJECT_PROG, TYPE | NAME | PLACES, NAME | PLACES },
	{ OBJECT_PROG, TYPE | NAME | PINS, PINS },
	{ OBJECT_PROG, TYPE | NAME, NAME },
	{ OBJECT_PROG, TYPE | PLACES, PLACES },
	{ OBJECT_MAP, TYPE | NAME | PINS | USERS | PLACES, 0 },
	{ OBJECT_MAP, TYPE | NAME | PINS, PINS },
	{ OBJECT_MAP, TYPE | NAME | USERS, USERS },
	{ OBJECT_MAP, NAME | PINS, NAME | PINS },
	{ OBJECT_MAP, TYPE | NAME, NAME },
	{ OBJECT_LINK, TYPE | NAME | PLACES, 0 },
	{ OBJECT_LINK, TYPE | NAME | PINS, NAME | PINS },
	{ OBJECT_LINK, TYPE | PLACES, PLACES },
	{ OBJECT_LINK, TYPE | NAME, NAME },
	{ OBJECT_BTF, NAME, NAME },
};

static const char *item_part_text(const struct diff_item *o, unsigned part)
{
	return part == TYPE   ? o->type :
	       part == NAME   ? o->name :
	       part == TAG    ? o->tag :
	       part == PLACES ? o->places :
	       part == PINS   ? o->pins :
				o->users;
}

static int items_compare(const struct diff_item *a, const struct diff_item *b, unsigned parts)
{
	int c = 0;

	for (unsigned part = TYPE; !c && part < ANY; part <<= 1)
		if (parts & part)
			c = strcmp(item_part_text(a, part), item_part_text(b, part));
	return c;
}

static int by_parts(const void *pa, const void *pb, void *ctx)
{
	const struct diff_item *a = *(struct diff_item *const *)pa, *b = *(struct diff_item *const *)pb;

	return items_compare(a, b, *(const unsigned *)ctx) ?: NUM_CMP(a->id, b->id);
}

/* The unmatched items that have the parts that the rule needs, sorted by its parts. */
static struct diff_item **candidates(struct side *s, const struct rule *r, size_t *ret_n)
{
	struct diff_items *l = &s->of[r->kind];
	struct diff_item **ret = arena_array(s->env->keep, l->n, sizeof(*ret));
	unsigned parts = r->parts;

	*ret_n = 0;
	for (size_t i = 0; i < l->n; i++) {
		bool fits = !l->v[i].other;

		for (unsigned part = TYPE; fits && part < ANY; part <<= 1)
			fits = !(r->needed & part) || *item_part_text(&l->v[i], part);
		if (fits)
			ret[(*ret_n)++] = &l->v[i];
	}
	qsort_r(ret, *ret_n, sizeof(*ret), by_parts, &parts);
	return ret;
}

static void rule_match(struct side *a, struct side *b, const struct rule *r)
{
	size_t na, nb, i = 0, k = 0;
	struct diff_item **of_a = candidates(a, r, &na), **of_b = candidates(b, r, &nb);

	while (i < na && k < nb) {
		const int c = items_compare(of_a[i], of_b[k], r->parts);

		if (!c) {
			of_a[i]->other = of_b[k];
			of_b[k]->other = of_a[i];
		}
		i += c <= 0;
		k += c >= 0;
	}
}

void sides_match(struct side *a, struct side *b)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		rule_match(a, b, &rules[i]);
}
