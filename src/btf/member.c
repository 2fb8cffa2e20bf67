/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/member.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "btf/number.h"
#include "btf/plan.h"

static bool is_whole(const struct step *s)
{
	return s->op == STEP_LIST || s->op == STEP_TEXT || s->op == STEP_FORMAT;
}

/* The step behind this one and all that is inside of it. */
static uint32_t step_behind(const struct value_plan *p, uint32_t i)
{
	unsigned depth = 0;

	if (is_whole(&p->step[i]))
		return p->step[i].end;
	do {
		if (p->step[i].op == STEP_OBJECT || p->step[i].op == STEP_ARRAY)
			depth++;
		else if (p->step[i].op == STEP_END)
			depth--;
		i = depth && is_whole(&p->step[i]) ? p->step[i].end : i + 1;
	} while (depth && i < p->n);
	return i;
}

static bool has_members(const struct step *s)
{
	return s->op == STEP_OBJECT || s->op == STEP_ARRAY;
}

/* What has members that are reached without a name of its own. */
static bool is_transparent(const struct step *s)
{
	return s->op == STEP_ARRAY || (s->op == STEP_OBJECT && s->name_len <= 2);
}

static bool is_named(const struct step *s, const char *name, size_t len)
{
	return s->name_len == len + 2 && len && !memcmp(s->name + 1, name, len);
}

/* A member of the object at @i; 0: there is none. */
static uint32_t find_named(const struct value_plan *p, uint32_t i, const char *name, size_t len)
{
	uint32_t end = step_behind(p, i), found = 0, j;

	for (j = i + 1; j < end && !found && p->step[j].op != STEP_END; j = step_behind(p, j)) {
		if (is_named(&p->step[j], name, len))
			found = j;
		else if (is_transparent(&p->step[j]))
			found = find_named(p, j, name, len);
	}
	return found;
}

static void list_names(const struct value_plan *p, uint32_t i, struct str *ret)
{
	uint32_t end = step_behind(p, i), j;

	for (j = i + 1; j < end && p->step[j].op != STEP_END && ret->n < 140; j = step_behind(p, j)) {
		const struct step *s = &p->step[j];

		if (is_transparent(s))
			list_names(p, j, ret);
		else if (s->name_len > 2)
			str_fmt(ret, "%s%.*s", ret->n ? ", " : "", (int)s->name_len - 2, s->name + 1);
	}
}

static int no_such(const struct value_plan *p, uint32_t i, const char *root, const char *path, struct err *e)
{
	STR names = { 0 };

	err_usage(e, "%s has no member '%.64s'", root, path);
	if (has_members(&p->step[i]))
		list_names(p, i, &names);
	return names.n ? err_hint(e, "there are %.140s", names.p) : -EINVAL;
}

/* "[2]" of a list: the step of its elements. */
static int enter(struct member *m, const char *root, const char **path, struct err *e)
{
	const struct step *s = &m->plan->step[m->step];
	size_t len = strcspn(*path, "]");
	char digits[16] = "";
	uint32_t index;

	if (s->op == STEP_TEXT)
		s = &m->plan->step[++m->step];
	if (len && len < sizeof(digits))
		memcpy(digits, *path + 1, len - 1);
	if (s->op != STEP_LIST || (*path)[len] != ']' || num_parse_u32(digits, &index))
		return err_usage(e, "%s has no element '%.64s'", root, *path);
	if (index >= s->n)
		return err_usage(e, "%s has no element [%u]: the list has %u", root, index, s->n);
	m->off += s->off + index * s->stride;
	m->step++;
	*path += len + 1;
	return 0;
}

/* From the first byte of its members to the last. */
static void extent(struct member *m)
{
	uint32_t end = step_behind(m->plan, m->step), i;
	uint64_t from = UINT64_MAX, to = 0;

	for (i = m->step + 1; i < end; i = has_members(&m->plan->step[i]) ? i + 1 : step_behind(m->plan, i)) {
		const struct step *s = &m->plan->step[i];

		if (has_members(s) || !s->size)
			continue;
		from = s->off < from ? s->off : from;
		to = s->off + s->size > to ? s->off + s->size : to;
	}
	m->off += to ? from : 0;
	m->size = to ? to - from : 0;
}

int member_find(struct member *ret, const struct value_plan *p, const char *root, const char *path, struct err *e)
{
	struct member m = { .plan = p };
	int err = 0;

	if (!p->n)
		return err_usage(e, "%s has no members", root);
	while (*path && !err) {
		size_t len;

		if (*path == '[') {
			err = enter(&m, root, &path, e);
			continue;
		}
		path += *path == '.';
		len = strcspn(path, ".[");
		if (has_members(&p->step[m.step]) && find_named(p, m.step, path, len))
			m.step = find_named(p, m.step, path, len);
		else
			err = no_such(p, m.step, root, path, e);
		path += len;
	}
	if (err)
		return err;
	if (has_members(&p->step[m.step])) {
		extent(&m);
	} else {
		m.off += p->step[m.step].off;
		m.size = p->step[m.step].size;
	}
	*ret = m;
	return 0;
}

/* As member_find(), but of the steps alone, through lists: the member of each element. 0 with a sentence: none. */
static uint32_t find_step(const struct value_plan *p, const char *root, const char *path, struct err *e)
{
	uint32_t i = 0, found = 0;

	if (*path && *path != '.') {
		no_such(p, 0, root, path, e);
		return UINT32_MAX;
	}
	for (; *path; path += strcspn(path, ".")) {
		path++;
		while (p->step[i].op == STEP_LIST)
			i++;
		found = has_members(&p->step[i]) ? find_named(p, i, path, strcspn(path, ".")) : 0;
		if (!found) {
			no_such(p, i, root, path, e);
			return UINT32_MAX;
		}
		i = found;
	}
	return i;
}

int format_apply(const struct value_plan **p, const char *root, const char *path, enum format f, struct facts *facts,
		 struct arena *a, struct err *e)
{
	uint32_t i = (*p)->n ? find_step(*p, root, path, e) : UINT32_MAX;
	struct member m = { .plan = *p, .step = i };
	struct value_plan *copy;
	struct step *step;

	if (i == UINT32_MAX)
		return -EINVAL;
	/* Of a list of what fits, each element. */
	while ((*p)->step[m.step].op == STEP_LIST && !format_fits(f, (*p)->step[m.step].size))
		m.step++;
	m.off = has_members(&(*p)->step[m.step]) ? 0 : (*p)->step[m.step].off;
	m.size = has_members(&(*p)->step[m.step]) ? 0 : (*p)->step[m.step].size;
	if (has_members(&(*p)->step[m.step]))
		extent(&m);
	if ((*p)->step[m.step].op == STEP_BITS || !format_fits(f, m.size))
		return err_usage(e, "%s%s has %llu bytes, which cannot be printed in that format", root, path, (unsigned long long)m.size);
	copy = arena_dup(a, *p, sizeof(*copy));
	step = arena_dup(a, copy->step, copy->n * sizeof(*step));
	step[m.step].end = step_behind(copy, m.step);
	step[m.step].op = STEP_FORMAT;
	step[m.step].off = m.off;
	step[m.step].size = m.size;
	step[m.step].format = f;
	copy->step = step;
	copy->facts = facts;
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
