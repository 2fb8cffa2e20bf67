/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/changes.h"

#include "base/wide.h"
#include "map/elem/state.h"

const char *const change_words[CHANGE_KINDS] = { "changed", "new", "gone" };

static void change_push(struct changes *c, struct change change)
{
	ARRAY_MORE(c->change, c->n, c->cap);
	c->change[c->n++] = change;
	c->kinds[change.kind]++;
}

static bool is_time(const struct lapse *lapse, struct wide v)
{
	for (int i = 0; i < PACE_CLOCKS; i++)
		if (!v.hi && v.lo > lapse->from[i] && v.lo <= lapse->to[i])
			return true;
	return false;
}

bool leaf_has_moved(const struct leaf *l, const struct lapse *lapse, const void *old, const void *now, size_t n,
		    struct wide *ret)
{
	struct wide a, b;

	if (!l->number || !leaf_number(l, old, n, &a) || !leaf_number(l, now, n, &b) || is_time(lapse, b))
		return false;
	*ret = wide_sub(b, a);
	return true;
}

/* Is there a change to report? @moved: the change of the fastest number. */
static bool is_changed(const struct leaves *leaves, const struct lapse *lapse, const unsigned char *old,
		       const unsigned char *now, size_t n, double *moved)
{
	bool changed = !leaves->n;
	struct wide by;

	*moved = 0;
	for (size_t i = 0; i < leaves->n; i++) {
		const struct leaf *l = &leaves->leaf[i];

		if (leaf_equal(l, old, now, n))
			continue;
		changed = true;
		if (leaf_has_moved(l, lapse, old, now, n, &by)) {
			double far = wide_double(wide_abs(by));

			*moved = far > *moved ? far : *moved;
		}
	}
	return changed;
}

static int by_change_rank(const void *pa, const void *pb, void *ctx)
{
	const struct change *a = pa, *b = pb;
	const size_t *key_size = ctx;

	return NUM_CMP(a->kind, b->kind) ?: NUM_CMP(b->moved, a->moved) ?: memcmp(a->elem, b->elem, *key_size);
}

void changes_find(struct changes *ret, const struct state *old, const struct state *now, const struct leaves *value)
{
	size_t i, key_size = now->key_size, size = now->stride - key_size;
	double moved;

	ret->n = 0;
	memset(ret->kinds, 0, sizeof(ret->kinds));
	for (i = 0; i < now->n; i++) {
		const unsigned char *elem = state_elem(now, i), *was = state_find(old, elem);

		if (!was)
			change_push(ret, (struct change){ .kind = CHANGE_NEW, .elem = elem });
		else if (memcmp(was + key_size, elem + key_size, size) &&
			 is_changed(value, &ret->lapse, was + key_size, elem + key_size, size, &moved))
			change_push(ret,
				    (struct change){ .kind = CHANGE_VALUE, .elem = elem, .old = was, .moved = moved });
	}
	for (i = 0; i < old->n; i++)
		if (!state_find(now, state_elem(old, i)))
			change_push(ret, (struct change){ .kind = CHANGE_GONE, .elem = state_elem(old, i) });
	if (ret->n)
		qsort_r(ret->change, ret->n, sizeof(*ret->change), by_change_rank, &key_size);
}

void changes_release(struct changes *c)
{
	free(c->change);
	c->change = NULL;
	c->n = c->cap = 0;
}
