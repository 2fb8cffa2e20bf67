/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/plain_shape.h"

#include "record/field.h"
#include "record/view.h"
#include "render/text.h"

static bool slot_before(const struct field *a, const struct field *b)
{
	return a->line != b->line ? a->line < b->line : a->col < b->col;
}

static struct plain_slot slot_of(struct arena *a, const struct schema *s, const struct field *f)
{
	const char *plain = f->plain ? f->plain : arena_fmt(a, "  %s %%", f->name), *at = strchr(plain, '%');

	return (struct plain_slot){
		.f = f,
		.s = s,
		.before = plain,
		.after = at ? at + 1 : NULL,
		.n = at ? (size_t)(at - plain) : strlen(plain),
		.blanks = strspn(plain, " "),
		.plural = at ? strstr(at, "(s)") : NULL,
	};
}

static void shape_add(struct plain_shape *l, struct arena *a, const struct schema *s, const struct field *f)
{
	size_t k;

	for (k = l->n++; k > 0 && slot_before(f, l->slots[k - 1].f); k--)
		l->slots[k] = l->slots[k - 1];
	l->slots[k] = slot_of(a, s, f);
}

static const struct field *field_named(const struct schema *s, const char *name)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (!strcmp(s->fields[i].name, name))
			return &s->fields[i];
	return NULL;
}

/* Add a field with the wording that @part gives it. */
static void shape_add_word(struct plain_shape *l, struct arena *a, const struct schema *part, const struct wording *w)
{
	const struct schema *s = l->base;
	const struct field *f = field_named(s, w->field);
	struct field *worded;

	if (!f && (f = field_named(part, w->field)) && part->info_size)
		s = part;
	if (!f)
		return;
	worded = arena_dup(a, f, sizeof(*f));
	worded->flags &= ~(uint32_t)FIELD_NOPLAIN;
	worded->plain = w->plain;
	worded->line = w->line;
	worded->col = w->col;
	shape_add(l, a, s, worded);
}

static struct plain_shape *shape_new(struct arena *a, const struct schema *base, const struct schema *part)
{
	size_t max = base->n + base->nwords + (part ? part->n + part->nwords : 0), i;
	struct plain_shape *l = arena_alloc(a, sizeof(*l) + max * sizeof(l->slots[0]));

	l->base = base;
	l->part = part;
	for (i = 0; i < base->nwords; i++)
		shape_add_word(l, a, base, &base->words[i]);
	for (i = 0; part && i < part->nwords; i++)
		shape_add_word(l, a, part, &part->words[i]);
	for (i = 0; i < base->n; i++)
		shape_add(l, a, base, &base->fields[i]);
	for (i = 0; part && i < part->n; i++)
		shape_add(l, a, part->info_size ? part : base, &part->fields[i]);
	return l;
}

static bool is_in_plain(const struct view *view, uint32_t hide, const struct field *f)
{
	size_t i;

	if (!view || !view->ncols)
		return !(f->flags & (FIELD_NOPLAIN | hide));
	for (i = 0; i < view->ncols; i++)
		if (strcmp(view->cols[i], f->name) == 0)
			return true;
	return false;
}

static const struct schema *schema_part(const struct schema *s, const void *rec)
{
	const struct schema *part = s->more ? s->more(rec) : NULL;

	return part == s ? NULL : part;
}

static void shape_view(struct plain_shape *l, const struct plain *p, const struct view *view, unsigned skip)
{
	l->view = view;
	l->skip = skip;
	l->headline = p->headline;
	l->shown = arena_array(p->arena, l->n, sizeof(*l->shown));
	for (size_t i = 0; i < l->n && !(l->headline && l->slots[i].f->line); i++)
		if (!(l->slots[i].f->need & skip) && is_in_plain(view, p->hide, l->slots[i].f))
			l->shown[l->nshown++] = &l->slots[i];
}

const struct plain_shape *plain_shape_of(struct plain *p, const struct schema *s, const struct view *view,
					 unsigned skip, const void *rec)
{
	const struct schema *part = schema_part(s, rec);
	struct plain_shape *l = p->shapes;

	while (l &&
	       (l->base != s || l->part != part || l->view != view || l->skip != skip || l->headline != p->headline))
		l = l->next;
	if (!l) {
		l = shape_new(p->arena, s, part);
		shape_view(l, p, view, skip);
		l->next = p->shapes;
		p->shapes = l;
	}
	return l;
}
