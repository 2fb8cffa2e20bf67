/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/value.h"

#include "types/value/plan.h"

#define WORDS_MAX 256u /* of an enum whose names are compared with each other */

static bool words_differ(const struct step *s)
{
	uint32_t i, j;

	if (s->n > WORDS_MAX)
		return false;
	for (i = 0; i < s->n; i++)
		for (j = 0; j < i; j++)
			if (s->words[i].len == s->words[j].len && s->words[i].value != s->words[j].value &&
			    !__builtin_memcmp(s->words[i].text, s->words[j].text, s->words[i].len))
				return false;
	return true;
}

static bool exact(const struct value_plan *p, uint32_t i, uint64_t *bit);

/* True if the members follow each other without gaps, up to bit @end. */
static bool members_exact(const struct value_plan *p, uint32_t i, uint64_t *bit)
{
	uint32_t j, end = p->step[i].end - 1;

	for (j = i + 1; j < end; j = step_next(p, j))
		if (!exact(p, j, bit))
			return false;
	return true;
}

/* True if the steps of @i define every bit from *bit on; *bit is moved to their end. */
static bool exact(const struct value_plan *p, uint32_t i, uint64_t *bit)
{
	const struct step *s = &p->step[i];
	uint64_t inner = 0;

	switch (s->op) {
	case STEP_FORMAT:
		if (!format_is_exact(s->format, s->size))
			return false;
		break;
	case STEP_OBJECT:
		return !(s->flags & STEP_UNION) && members_exact(p, i, bit) && *bit == (s->off + s->size) * 8;
	case STEP_LIST:
		if (*bit != s->off * 8 || !s->stride || !exact(p, i + 1, &inner) || inner != s->stride * 8)
			return false;
		*bit += s->size * 8;
		return true;
	case STEP_EMPTY:
		return *bit == s->off * 8;
	case STEP_BITS:
		if (*bit != s->off * 8 + s->shift || (s->flags & STEP_OWN && s->n))
			return false;
		*bit += s->bits;
		return true;
	case STEP_ENUM:
		if (!words_differ(s))
			return false;
		break;
	case STEP_S8 ... STEP_INT_LAST:
	case STEP_CHAR:
	case STEP_PTR:
		break;
	default:
		return false;
	}
	if (*bit != s->off * 8)
		return false;
	*bit += s->size * 8;
	return true;
}

bool value_exact(const struct value_plan *p, size_t n)
{
	uint64_t bit = 0;

	return p->n < PLAN_STEPS && p->n && exact(p, 0, &bit) && bit == n * 8;
}
