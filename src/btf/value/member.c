/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/value/member.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "btf/value/number.h"
#include "btf/path.h"
#include "btf/value/plan.h"

int member_find(struct member *ret, const struct value_plan *p, const char *root, const char *path, struct err *e)
{
	const char *end = path;
	struct err why = { 0 };
	struct path_end at;
	int err = path_follow(p, UINT64_MAX, &end, &at, &why);

	if (!err && *end)
		err = err_usage(&why, "there is no member '%.64s'", end);
	if (!err) {
		*ret = (struct member){ p, at.step, at.base + p->step[at.step].off, p->step[at.step].size };
		return 0;
	}
	err_in(&why, "%s%.64s", root, path);
	if (e && !e->code)
		*e = why;
	return err;
}

/* As path_follow(), but through lists without an index: the member of each element. */
static int step_find(const struct value_plan *p, const char *path, uint32_t *ret, struct err *e)
{
	uint32_t i = 0, found;
	size_t len;

	if (!p->n || (*path && *path != '.') || strchr(path, '['))
		return err_usage(e, "there is no such member, or it is one element of a list");
	for (; *path; path += len, i = found) {
		len = strcspn(++path, ".");
		while (p->step[i].op == STEP_LIST)
			i++;
		found = path_member(p, i, path, len);
		if (!found)
			return path_no_member(p, i, path, len, e);
	}
	*ret = i;
	return 0;
}

int format_apply(const struct value_plan **p, const char *root, const char *path, enum format f, struct machine *machine,
		 struct arena *a, struct err *e)
{
	struct err why = { 0 };
	struct value_plan *copy;
	struct step *step;
	uint32_t i = 0;

	if (step_find(*p, path, &i, &why)) {
		err_in(&why, "%s%.64s", root, path);
		if (e && !e->code)
			*e = why;
		return -EINVAL;
	}
	copy = arena_dup(a, *p, sizeof(*copy));
	copy->step = step = arena_dup(a, copy->step, copy->n * sizeof(*step));
	copy->machine = machine;
	if (!step_format(step, i, f))
		return err_usage(e, "%s%s has %llu bytes, which cannot be printed in that format", root, path,
				 (unsigned long long)step[i].size);
	*p = copy;
	return 0;
}

int member_cmp(const struct member *m, const void *a, const void *b, size_t n)
{
	const struct step *s = &m->plan->step[m->step];
	const unsigned char *pa = a, *pb = b;

	if (m->off > n || m->size > n - m->off)
		return 0;
	pa += m->off;
	pb += m->off;
	if (s->op == STEP_FLOAT || s->op == STEP_DOUBLE) {
		double da = step_double(s, pa), db = step_double(s, pb);

		return (da > db) - (da < db);
	}
	if (step_is_number(s)) {
		__int128 na = step_number(s, pa), nb = step_number(s, pb);

		return (na > nb) - (na < nb);
	}
	return memcmp(pa, pb, m->size);
}
