/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/member.h"

#include "types/value/number.h"
#include "types/value/path.h"
#include "types/value/plan.h"

int member_find(struct member *ret, const struct value_plan *p, const char *root, const char *path, struct err *e)
{
	const char *end = path;
	struct err why = { 0 };
	struct path_end at;
	int err = path_follow(p, UINT64_MAX, &end, &at, &why);

	if (!err && *end)
		err = err_usage(&why, "no member '%.64s'", end);
	if (!err) {
		*ret = (struct member){ p, at.step, at.base + p->step[at.step].off, p->step[at.step].size };
		return 0;
	}
	err_in(&why, "%s%.64s", root, path);
	if (e && !e->code)
		*e = why;
	return err;
}

void member_spell(const struct value_plan *p, char *path)
{
	path_spell(p, path);
}

struct value_plan *plan_part(const struct value_plan *p, uint32_t i, struct arena *a)
{
	const uint32_t n = step_next(p, i) - i;
	struct value_plan *ret = arena_dup(a, p, sizeof(*p));
	struct step *step = arena_dup(a, p->step + i, n * sizeof(*step));

	for (uint32_t k = 0; k < n; k++)
		step[k].end -= step[k].end ? i : 0;
	step[0].name_len = 0;
	if (step[0].op == STEP_TEXT) /* the array that is printed if it is not text */
		step[1].name_len = 0;
	ret->step = step;
	ret->n = n;
	return ret;
}

const struct value_plan *member_plan(const struct member *m, uint64_t *ret_base, struct arena *a)
{
	*ret_base = m->off - m->plan->step[m->step].off;
	return plan_part(m->plan, m->step, a);
}

bool member_is_int(const struct member *m, bool *ret_signed)
{
	const struct step *s = &m->plan->step[m->step];

	*ret_signed = s->op <= STEP_S64;
	return s->op <= STEP_INT_LAST || (s->op == STEP_FORMAT && format_is_number((enum format)s->format));
}

bool member_is_enum(const struct member *m)
{
	return step_is_enum(&m->plan->step[m->step]);
}

uint64_t member_int(const struct member *m, const void *bytes)
{
	return step_number(&m->plan->step[m->step], (const unsigned char *)bytes + m->off).lo;
}

static void each(const struct value_plan *p, uint32_t i, uint32_t end, struct str *path, member_fn *fn, void *ctx)
{
	for (; i < end; i = step_next(p, i)) {
		const struct step *s = &p->step[i];
		size_t mark = path->n;

		/* Variables are found without the name of their section. */
		if (s->name_len > 2 && s->op != STEP_ARRAY)
			str_fmt(path, ".%.*s", (int)s->name_len - 2, s->name + 1);
		if (step_has_members(s))
			each(p, i + 1, step_next(p, i) - 1, path, fn, ctx);
		else if (s->op != STEP_END && s->op != STEP_EMPTY && s->op != STEP_NULL)
			fn(ctx, path->n ? path->p : "");
		path->n = mark;
		if (path->p)
			path->p[mark] = '\0';
	}
}

void members_each(const struct value_plan *p, member_fn *fn, void *ctx)
{
	STR path = { 0 };

	each(p, 0, p->n, &path, fn, ctx);
}

/* As path_follow(), but through arrays without an index: the member of each element. */
static int step_find(const struct value_plan *p, const char *path, uint32_t *ret, struct err *e)
{
	uint32_t i = 0, found;
	size_t len;

	if (!p->n || (*path && *path != '.') || strchr(path, '[')) {
		err_usage(e, "no such member, or it is an element of an array");
		return err_hint(e, "a format applies to a member, or to all elements of an array: omit [N]");
	}
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

/* *p becomes a copy, whose steps are returned. */
static struct step *plan_copy(const struct value_plan **p, struct machine *machine, struct arena *a)
{
	struct value_plan *copy = arena_dup(a, *p, sizeof(*copy));
	struct step *step = arena_dup(a, copy->step, copy->n * sizeof(*step));

	copy->step = step;
	copy->machine = machine;
	*p = copy;
	return step;
}

int format_apply(const struct value_plan **p, const char *root, const char *path, enum format f,
		 struct machine *machine, struct arena *a, struct err *e)
{
	struct err why = { 0 };
	struct step *step;
	uint32_t i = 0;

	if (step_find(*p, path, &i, &why)) {
		err_in(&why, "%s%.64s", root, path);
		if (e && !e->code)
			*e = why;
		return -EINVAL;
	}
	step = plan_copy(p, machine, a);
	if (!step_format(step, i, f)) {
		err_usage(e, "%s%s has %llu byte%s, which that format does not support", root, path, llu(step[i].size),
			  plural(step[i].size));
		return err_hint(e, "formats for its size: %s", format_words_for(step[i].size, a));
	}
	return 0;
}

static bool is_offered(const struct step *s)
{
	return s->op != STEP_FORMAT && s->op != STEP_BITS && s->format;
}

void format_apply_auto(const struct value_plan **p, struct machine *machine, struct arena *a)
{
	struct step *step = *p ? plan_copy(p, machine, a) : NULL;

	for (uint32_t i = 0; step && i < (*p)->n; i++) {
		if (is_offered(&step[i]))
			step_format(step, i, (enum format)step[i].format);
		step[i].flags &= (uint8_t)~STEP_IMPLIED;
	}
}

#define AUTO_NAMES 60 /* bytes; the rest of many names says nothing more */

void format_auto_names(const struct value_plan *p, struct str *names)
{
	for (uint32_t i = 0; p && i < p->n && names->n < AUTO_NAMES;
	     i = is_offered(&p->step[i]) ? step_next(p, i) : i + 1)
		if (is_offered(&p->step[i]) && p->step[i].name_len > 2)
			str_fmt(names, "%s%.*s", names->n ? ", " : "", (int)p->step[i].name_len - 2,
				p->step[i].name + 1);
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

		return NUM_CMP(da, db);
	}
	if (step_is_number(s))
		return step_number_cmp(s, step_number(s, pa), step_number(s, pb));
	return memcmp(pa, pb, m->size);
}
