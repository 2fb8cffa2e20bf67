/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/aggregate.h"

#include "types/value/number.h"

#define RESULT_MAX (64ull << 20)

static bool is_int(const struct step *s)
{
	return s->op <= STEP_INT_LAST;
}

/*
 * Makes steps [i, end) of the result: the same steps, but each has its own bytes, one after the other from *next, so
 * that members of a union do not overlap. @room: size of the values that the offsets are relative to.
 */
static void widen(struct step *step, uint32_t i, uint32_t end, uint64_t room, uint64_t *next)
{
	while (i < end && *next <= RESULT_MAX) {
		struct step *s = &step[i++];
		uint64_t size = s->size, inner = 0;

		if (step_has_members(s)) {
			s->off = *next;
			widen(step, i, s->end - 1, room, next);
			s->size = *next - s->off;
			i = s->end;
			continue;
		}
		if (s->op == STEP_EMPTY || s->op == STEP_NULL)
			continue;
		if (s->off > room || size > room - s->off) {
			s->op = STEP_NULL;
			continue;
		}
		if (is_int(s)) {
			s->op = s->op <= STEP_S64 ? STEP_S64 : STEP_U64;
			size = sizeof(uint64_t);
		} else if (s->op == STEP_TEXT) {
			step[i].off = *next; /* the array of the same characters */
			i = s->end;
		} else if (s->op == STEP_FORMAT) {
			i = s->end;
		} else if (s->op == STEP_LIST) {
			widen(step, i, s->end, s->stride, &inner);
			i = s->end;
			s->stride = inner;
			size = inner > RESULT_MAX ? inner : inner * s->n;
		}
		s->off = *next;
		s->size = size;
		*next += (size + 7) & ~7ull;
	}
}

int aggregator_init(struct aggregator *ret, enum aggregate how, const struct value_plan *p, size_t n, struct arena *a,
		    struct err *e)
{
	struct step *step = arena_dup(a, p->step, p->n * sizeof(*step));
	struct value_plan *plan = arena_alloc(a, sizeof(*plan));
	uint64_t size = 0;

	widen(step, 0, p->n, n, &size);
	if (size > RESULT_MAX)
		return err_set(e, -E2BIG, "values of this type are too large to be combined over the CPUs");
	*plan = *p;
	plan->step = step;
	*ret = (struct aggregator){ how, p, plan, n, (size_t)size };
	return 0;
}

static void int_run(const struct aggregator *g, const struct step *s, const unsigned char *p, size_t stride,
		    uint32_t cpus, unsigned char *ret)
{
	struct wide all = step_number(s, p);

	for (uint32_t cpu = 1; cpu < cpus; cpu++) {
		struct wide n = step_number(s, p + cpu * stride);

		all = g->how == AGGREGATE_MAX ? wide_max(all, n) : wide_add(all, n);
	}
	if (g->how == AGGREGATE_AVG)
		all = wide_div(all, cpus);
	store_uint(ret, sizeof(all.lo), all.lo, step_is_big(s));
}

/* @n: bytes at p; the values of the CPUs are @stride bytes apart. */
static void aggregate_run(const struct aggregator *g, uint32_t i, uint32_t end, const unsigned char *p, size_t n,
			  size_t stride, uint32_t cpus, unsigned char *ret)
{
	while (i < end) {
		const struct step *s = &g->from->step[i], *to = &g->plan->step[i];

		i++;
		if (to->op == STEP_NULL || step_has_members(s) || s->op == STEP_END || s->off > n ||
		    s->size > n - s->off)
			;
		else if (is_int(s))
			int_run(g, s, p + s->off, stride, cpus, ret + to->off);
		else if (s->op == STEP_LIST)
			for (uint32_t k = 0; k < s->n; k++)
				aggregate_run(g, i, s->end, p + s->off + k * s->stride, s->stride, stride, cpus,
					      ret + to->off + k * to->stride);
		else
			memcpy(ret + to->off, p + s->off, s->size);
		if (s->op == STEP_LIST || s->op == STEP_TEXT || s->op == STEP_FORMAT)
			i = s->end;
	}
}

void aggregate(const struct aggregator *g, const unsigned char *values, size_t stride, uint32_t cpus,
	       unsigned char *ret)
{
	aggregate_run(g, 0, g->from->n, values, g->n, stride, cpus, ret);
}
