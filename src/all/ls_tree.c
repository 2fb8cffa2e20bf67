/* SPDX-License-Identifier: BSD-2-Clause */

#include "all/ls.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "render/branches.h"

/* A node is printed on a line of its own, or with its only child if that is not a program. */
struct tree_node {
	const char *text; /* of a type of place, group, place or hook */
	const char *name; /* of a map; NULL: none, or unknown */
	enum role role;
	const struct ls_rec *r; /* a program; NULL: none */
	bool again;		/* what runs under it is printed elsewhere */
	struct tree_node *first, *last, *next;
};
struct forest {
	struct env *env;
	const struct records *recs;
	struct ls_under under;
	struct hash grown; /* programs whose subtrees are complete */
	bool *placed;	   /* by record */
	struct tree_node root;
};

static struct tree_node *node_add(struct forest *f, struct tree_node *up, const char *text, enum role role)
{
	struct tree_node *n = arena_alloc(f->env->keep, sizeof(*n));

	n->text = text;
	n->role = role;
	if (up->last)
		up->last->next = n;
	else
		up->first = n;
	up->last = n;
	return n;
}

/* The child with that text; it is added if there is none. */
static struct tree_node *below(struct forest *f, struct tree_node *up, const char *text, enum role role)
{
	for (struct tree_node *n = up->first; n; n = n->next)
		if (!n->r && !strcmp(n->text, text))
			return n;
	return node_add(f, up, text, role);
}

/*
 * Length of the part of a place that several share: "blue" of "blue:eth0", "sched" of "sched:sched_switch", a file,
 * "prog:7", "map:12" of "map:12[3]". 0: none.
 */
static size_t group_of(const struct ls_rec *r)
{
	const char *where = r->a.where, *end = strchr(where, ':');

	if (str_starts(where, "map:"))
		end = strchr(where, '[');
	else if (*where == '/' || r->a.target_prog)
		end = strrchr(where, ':');
	return end && end != where ? (size_t)(end - where) : 0;
}

static struct tree_node *place_of(struct forest *f, struct tree_node *up, const struct ls_rec *r)
{
	const char *where = r->a.where;
	size_t group = group_of(r);

	if (group && r->a.target_prog && up->r) /* the parent is that program */
		return below(f, up, where + group + 1, ROLE_PLACE);
	if (group) {
		up = below(f, up, arena_str(f->env->keep, where, group), ROLE_PLACE);
		if (where[group] == '[' && !up->first)
			up->name = r->map_name;
		where += group + (where[group] == ':');
	}
	return up->last && !up->last->r && !strcmp(up->last->text, where) ? up->last :
									    node_add(f, up, where, ROLE_PLACE);
}

static void branch_grow(struct forest *f, struct tree_node *up, size_t i, unsigned depth)
{
	const struct ls_rec *r = ls_at(f->recs, i);
	const struct ls_list *l = hash_get(&f->under.below, r->a.prog_id);
	struct tree_node *me = node_add(f, below(f, place_of(f, up, r), r->a.what, ROLE_KIND), NULL, ROLE_NONE);

	me->r = r;
	f->placed[i] = true;
	if (!l || depth == BRANCHES_DEPTH)
		return;
	me->again = hash_get(&f->grown, r->a.prog_id);
	if (me->again)
		return;
	*hash_put(&f->grown, r->a.prog_id) = me;
	for (size_t k = 0; k < l->n; k++)
		branch_grow(f, me, l->i[k], depth + 1);
}

/* Is it run by a program in the list? */
static bool is_under(const struct forest *f, const struct ls_rec *r)
{
	for (uint32_t i = 0; i < r->nunder; i++)
		if (hash_get(&f->under.attached, r->under[i]))
			return true;
	return false;
}

static void put_prog(struct branches *b, const struct tree_node *n, struct arena *a)
{
	const struct ls_rec *r = n->r;

	if (r->a.prog_id)
		branches_cell(b, ROLE_ID, arena_fmt(a, "prog %u", r->a.prog_id));
	else if (r->a.map_id)
		branches_cell(b, ROLE_ID, arena_fmt(a, "map %u", r->a.map_id));
	branches_word(b, ROLE_NAME, r->name);
	if (r->a.link_id)
		branches_cell(b, ROLE_ID, arena_fmt(a, "link %u", r->a.link_id));
	if (r->nevents)
		branches_cell(b, ROLE_NONE, arena_fmt(a, "%u events", r->nevents));
	branches_cell(b, ROLE_NONE, r->a.detail);
	if (r->has_owner >= AVAIL_UNKNOWN)
		branches_cell(b, ROLE_UNKNOWN, "?");
	else
		branches_cell(b, ROLE_OWNER, r->owner);
	branches_cell(b, ROLE_NOTE, n->again ? "(see above)" : NULL);
}

static void node_draw(struct branches *b, const struct tree_node *n, struct arena *a, bool sort);

static void put_below(struct branches *b, const struct tree_node *n, struct arena *a)
{
	for (const struct tree_node *c = n->first; c && !out_dead(b->out); c = c->next) {
		ARENA_SCOPE(a);

		branches_open(b, !c->next);
		node_draw(b, c, a, false);
		branches_close(b);
	}
}

/* A group with only one place is printed as a part of that place's name. */
static void node_draw(struct branches *b, const struct tree_node *n, struct arena *a, bool sort)
{
	const struct tree_node *group = NULL;
	const char *name = NULL;

	for (; !n->r; n = n->first) {
		const bool last = sort || n->first->next;

		if (group)
			branches_glue(b, *n->text == '[' ? "" : ":", n->text);
		else
			branches_cell(b, n->role, n->text);
		group = n->role == ROLE_PLACE && n->first->role == ROLE_PLACE ? n : NULL;
		name = n->name ? n->name : name;
		if (!group || last)
			branches_word(b, ROLE_NAME, name);
		if (!group)
			name = NULL;
		if (last)
			break;
	}
	if (n->r)
		put_prog(b, n, a);
	branches_line(b);
	put_below(b, n, a);
}

void ls_print_tree(struct env *env, const struct records *recs)
{
	struct forest f = { .env = env, .recs = recs, .placed = arena_array(env->keep, recs->n, sizeof(bool)) };
	struct branches b;

	hash_init(&f.grown, env->keep);
	ls_under_read(env, recs, &f.under);
	/*
	 * First the programs that no other runs; then the rest, which run each other in rings and may begin anywhere.
	 */
	for (unsigned ring = 0; ring < 2; ring++)
		for (size_t i = 0; i < recs->n; i++)
			if (!f.placed[i] && (ring || !is_under(&f, ls_at(recs, i))))
				branch_grow(&f, below(&f, &f.root, ls_at(recs, i)->place, ROLE_HEADING), i, 0);
	branches_begin(&b, env->report->out);
	for (const struct tree_node *n = f.root.first; n; n = n->next)
		node_draw(&b, n, env->arena, true);
	branches_end(&b);
}
