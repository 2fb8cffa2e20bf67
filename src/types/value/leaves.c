/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/leaves.h"

#include "types/value/number.h"
#include "types/value/plan.h"

struct finder {
	const struct value_plan *plan;
	struct arena *arena;
	struct leaves found;
	size_t cap;
	struct str path;
};

/* True for formats of counts; numbers with other formats are addresses or ids. */
static bool counts(const struct step *s)
{
	return format_is_number((enum format)s->format) ||
	       (step_is_number(s) && (s->format == FORMAT_KTIME || s->format == FORMAT_HEX));
}

static bool is_numeric(const struct step *s)
{
	if (s->op == STEP_FORMAT)
		return counts(s);
	return s->op <= STEP_INT_LAST || (s->op == STEP_BITS && !s->n && s->bits <= 64);
}

/* A plan of step @i only, for the value whose element is at @base. */
static const struct value_plan *part(struct finder *f, uint32_t i, uint64_t base)
{
	struct value_plan *p = plan_part(f->plan, i, f->arena);
	struct step *step = arena_dup(f->arena, p->step, p->n * sizeof(*step));

	step[0].off += base;
	if (step[0].op == STEP_TEXT) /* the array that is printed if it is not text */
		step[1].off += base;
	p->step = step;
	return p;
}

static void leaf_take(struct finder *f, uint32_t i, uint64_t base)
{
	const struct step *s = &f->plan->step[i];

	ARRAY_MORE(f->found.leaf, f->found.n, f->cap);
	f->found.leaf[f->found.n++] = (struct leaf){
		.path = arena_str(f->arena, f->path.n ? f->path.p : "", f->path.n),
		.off = base + s->off,
		.size = s->size,
		.number = is_numeric(s),
		.text = s->op == STEP_TEXT || (s->op == STEP_FORMAT && s->format == FORMAT_STR),
		.plan = part(f, i, base),
	};
}

static void leaves_walk(struct finder *f, uint32_t i, uint32_t end, uint64_t base);

/* Empty elements cost nothing, however many the type has. */
static void find_list(struct finder *f, uint32_t i, uint64_t base)
{
	const struct step *s = &f->plan->step[i];
	size_t first = f->found.n, mark = f->path.n;

	for (uint32_t k = 0; k < s->n && f->found.n < LEAVES_MAX; k++) {
		str_fmt(&f->path, "[%u]", k);
		leaves_walk(f, i + 1, s->end, base + s->off + k * s->stride);
		f->path.n = mark;
		if (f->found.n == first)
			return;
	}
	if (f->found.n > first && s->end == i + 2 && f->found.leaf[first].number)
		f->found.leaf[first].list = (uint32_t)(f->found.n - first);
}

static void leaves_walk(struct finder *f, uint32_t i, uint32_t end, uint64_t base)
{
	for (; i < end && f->found.n < LEAVES_MAX; i = step_next(f->plan, i)) {
		const struct step *s = &f->plan->step[i];
		size_t mark = f->path.n;

		/* Variables are found without the name of their section. */
		if (s->name_len > 2 && s->op != STEP_ARRAY)
			str_fmt(&f->path, ".%.*s", (int)s->name_len - 2, s->name + 1);
		if (s->op == STEP_OBJECT || s->op == STEP_ARRAY)
			leaves_walk(f, i + 1, step_next(f->plan, i) - 1, base);
		else if (s->op == STEP_LIST)
			find_list(f, i, base);
		else if (s->op != STEP_END && s->op != STEP_EMPTY && s->op != STEP_NULL)
			leaf_take(f, i, base);
		f->path.n = mark;
	}
}

void leaves_find(struct leaves *ret, const struct value_plan *p, struct arena *a)
{
	struct finder f = { .plan = p, .arena = a };

	leaves_walk(&f, 0, p->n, 0);
	ret->n = f.found.n;
	ret->leaf = arena_dup(a, f.found.n ? f.found.leaf : (struct leaf *)"", f.found.n * sizeof(*ret->leaf));
	free(f.found.leaf);
	str_release(&f.path);
}

bool leaf_number(const struct leaf *l, const void *bytes, size_t n, struct wide *ret)
{
	if (l->off > n || l->size > n - l->off)
		return false;
	*ret = step_number(l->plan->step, (const unsigned char *)bytes + l->off);
	return true;
}

bool leaf_equal(const struct leaf *l, const void *a, const void *b, size_t n)
{
	struct wide na, nb;

	if (l->off > n || l->size > n - l->off)
		return true;
	if (l->number)
		return leaf_number(l, a, n, &na) && leaf_number(l, b, n, &nb) && !wide_cmp(na, nb);
	if (l->text) /* bytes after the end of text are not printed */
		return !strncmp((const char *)a + l->off, (const char *)b + l->off, l->size);
	return !memcmp((const char *)a + l->off, (const char *)b + l->off, l->size);
}
