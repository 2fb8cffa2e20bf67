/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/path.h"

#include <strings.h>

#include "types/value/plan.h"

/* Its members are found without its own name. */
static bool is_transparent(const struct step *s)
{
	return s->op == STEP_ARRAY || (s->op == STEP_OBJECT && s->name_len <= 2);
}

uint32_t path_member(const struct value_plan *p, uint32_t i, const char *name, size_t len)
{
	uint32_t end = p->step[i].end, found = 0, j;

	if (!step_has_members(&p->step[i]))
		return 0;
	for (j = i + 1; j < end - 1 && !found; j = step_next(p, j)) {
		const struct step *s = &p->step[j];

		if (s->name_len == len + 2 && len && !memcmp(s->name + 1, name, len))
			found = j;
		else if (is_transparent(s))
			found = path_member(p, j, name, len);
	}
	return found;
}

/* As path_member(), but without regard to case, and only if one name fits; *n counts them. */
static uint32_t member_fold(const struct value_plan *p, uint32_t i, const char *name, size_t len, unsigned *n)
{
	uint32_t end = p->step[i].end, found = 0, inner;

	if (!step_has_members(&p->step[i]))
		return 0;
	for (uint32_t j = i + 1; j < end - 1; j = step_next(p, j)) {
		const struct step *s = &p->step[j];

		inner = is_transparent(s) ? member_fold(p, j, name, len, n) : 0;
		if (s->name_len == len + 2 && len && !strncasecmp(s->name + 1, name, len)) {
			++*n;
			inner = j;
		}
		found = found ? found : inner;
	}
	return *n == 1 ? found : 0;
}

void path_spell(const struct value_plan *p, char *path)
{
	uint32_t at = 0, member;

	while (p->n && *path) {
		size_t len = strcspn(path, ".[");
		unsigned n = 0;

		while (p->step[at].op == STEP_LIST)
			at++;
		member = len ? path_member(p, at, path, len) : at;
		if (!member && len)
			member = member_fold(p, at, path, len, &n);
		if (!member && len)
			return;
		if (len)
			memcpy(path, p->step[member].name + 1, len);
		at = member;
		path += len;
		path += *path == '[' ? strcspn(path, "]") : 0;
		path += *path != '\0';
	}
}

static void names_list(const struct value_plan *p, uint32_t i, struct str *ret)
{
	uint32_t end = p->step[i].end, j;

	for (j = i + 1; j < end - 1 && ret->n < 140; j = step_next(p, j)) {
		const struct step *s = &p->step[j];

		if (is_transparent(s))
			names_list(p, j, ret);
		else if (s->name_len > 2)
			str_fmt(ret, "%s%.*s", ret->n ? ", " : "", (int)s->name_len - 2, s->name + 1);
	}
}

int path_hint(const struct value_plan *p, uint32_t i, struct err *e)
{
	STR names = { 0 };

	if (step_has_members(&p->step[i]))
		names_list(p, i, &names);
	return names.n ? err_hint(e, "its members are %.140s%s", names.p, names.n < 140 ? "" : ", ...") : -EINVAL;
}

#define WORDS_SHOWN 200u /* characters of enum names in a hint */

int path_words_hint(const struct step *s, struct err *e)
{
	STR words = { 0 };
	uint32_t i;

	for (i = 0; i < s->n && words.n + s->words[i].len < WORDS_SHOWN; i++)
		str_fmt(&words, "%s%.*s", i ? ", " : "", (int)(s->words[i].len - 2), s->words[i].text + 1);
	return i ? err_hint(e, "its names: %s%s", words.p, i < s->n ? ", ..." : "") : -EINVAL;
}

int path_no_member(const struct value_plan *p, uint32_t i, const char *name, size_t len, struct err *e)
{
	err_usage(e, "no member '%.*s'", (int)(len < 64 ? len : 64), name);
	return path_hint(p, i, e);
}

/* Follows "[2]" of an array, to the step of its elements. */
static int index_follow(const struct value_plan *p, const char **path, struct path_end *at, struct err *e)
{
	size_t len = strcspn(*path, "]");
	const struct step *s = &p->step[at->step];
	char digits[16] = "";
	uint32_t k;

	if (s->op == STEP_TEXT)
		s++;
	if (len && len < sizeof(digits))
		memcpy(digits, *path + 1, len - 1);
	if (s->op != STEP_LIST || (*path)[len] != ']' || num_parse_u32(digits, &k))
		return err_usage(e, "no element '%.*s'", (int)((*path)[len] && len < 64 ? len + 1 : 64), *path);
	if (k >= s->n)
		return err_usage(e, "no element [%u]: the array has %u", k, s->n);
	if (s->off > at->room || s->size > at->room - s->off)
		return err_usage(e, "the array exceeds the value");
	*at = (struct path_end){ (uint32_t)(s - p->step) + 1, at->base + s->off + k * s->stride, s->stride };
	*path += len + 1;
	return 0;
}

int path_follow(const struct value_plan *p, uint64_t n, const char **path, struct path_end *ret, struct err *e)
{
	struct path_end at = { .room = n };
	const char *begin = *path;
	uint32_t member;
	size_t len;
	int err;

	if (!p->n)
		return err_usage(e, "it has no members");
	while (**path == '.' || **path == '[' || (*path == begin && **path && **path != '=')) {
		if (**path == '[') {
			err = index_follow(p, path, &at, e);
			if (err)
				return err;
			continue;
		}
		*path += **path == '.';
		len = strcspn(*path, ".[=+-");
		member = path_member(p, at.step, *path, len);
		if (!member)
			return path_no_member(p, at.step, *path, len, e);
		at.step = member;
		*path += len;
	}
	*ret = at;
	return 0;
}
