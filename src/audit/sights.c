/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/look.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "source/facts.h"

/* An object that is missing in the list of ids, and the lists and holders that have it. */
struct sight {
	enum object_kind kind;
	uint32_t id;
	const struct graph_node *node; /* NULL: no other object refers to it */
	const char **by;
	size_t nby, cap;
};
struct sights {
	struct look *l;
	struct hash by_id; /* of struct sight */
	struct sight **all;
	size_t n, cap;
};

static const char iterator[] = "an iterator of the kernel";
static bool is_object(const struct graph_node *n)
{
	return n->kind < OBJECT_KINDS;
}

static bool is_listed(const struct look *l, enum object_kind kind, uint64_t id)
{
	const struct counted_ids *c = &l->counted.listed[kind];

	return c->why || id > UINT32_MAX || counted_has(c, (uint32_t)id);
}

static struct sight *sight_of(struct sights *s, enum object_kind kind, uint32_t id)
{
	void **slot = hash_put(&s->by_id, KEY(kind, id));

	if (!*slot) {
		struct sight *new = arena_alloc(s->l->env->keep, sizeof(*new));

		new->kind = kind;
		new->id = id;
		s->all = arena_more(s->l->env->keep, s->all, s->n, &s->cap, sizeof(struct sight *));
		s->all[s->n++] = *slot = new;
	}
	return *slot;
}

static void seen_by(struct sights *s, struct sight *x, const char *who)
{
	ARENA_MORE(s->l->env->keep, x->by, x->nby, x->cap);
	x->by[x->nby++] = who;
}

static const char *referrer_text(const struct look *l, uint32_t node, const struct graph_edge *edge)
{
	const char *title = graph_title(&l->g.node[node], l->env->keep), *word = graph_edge_word(edge);

	return word ? arena_fmt(l->env->keep, "%s (%s)", title, word) : title;
}

/* Adds the objects that refer to it. Processes and pins are added from their own lists, which also have objects that
 * are not in the graph. */
static void node_sees(struct sights *s, uint32_t me, struct sight *x)
{
	const struct graph *g = &s->l->g;

	x->node = &g->node[me];
	if (x->node->schema)
		seen_by(s, x, "a later list");
	GRAPH_IN(g, me, i)
		if (g->node[g->edge[i].from].kind != EDGE_PROCESS && g->node[g->edge[i].from].kind != EDGE_PIN)
			seen_by(s, x, referrer_text(s->l, g->edge[i].from, &g->edge[i]));
	GRAPH_OUT(g, me, i)
		if (g->node[g->edge[i].to].schema)
			seen_by(s, x, referrer_text(s->l, g->edge[i].to, &g->edge[i]));
}

static void graph_sees(struct sights *s)
{
	const struct graph *g = &s->l->g;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (is_object(&g->node[i]) && !is_listed(s->l, (enum object_kind)g->node[i].kind, g->node[i].id))
			node_sees(s, i, sight_of(s, (enum object_kind)g->node[i].kind, (uint32_t)g->node[i].id));
}

static void processes_see(struct sights *s)
{
	const struct holders *all = facts_all_holders(s->l->env->machine);

	for (size_t i = 0; i < holders_count(all); i++) {
		enum object_kind kind;
		uint32_t id;
		const struct holder *h = holders_at(all, i, &kind, &id);

		if (!is_listed(s->l, kind, id))
			seen_by(s, sight_of(s, kind, id), arena_fmt(s->l->env->keep, "%s(%u)", h->comm, h->pid));
	}
}

static void pins_see(struct sights *s)
{
	const struct pin *pins;
	size_t n;

	if (facts_all_pins(s->l->env->machine, &pins, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!is_listed(s->l, pins[i].kind, pins[i].id))
			seen_by(s, sight_of(s, pins[i].kind, pins[i].id),
				arena_fmt(s->l->env->keep, "pin %s", pins[i].path));
}

static void iterators_see(struct sights *s)
{
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++) {
		const struct counted_ids *c = &s->l->counted.walked[kind];

		for (size_t i = 0; i < c->n; i++)
			if (!is_listed(s->l, (enum object_kind)kind, c->ids[i]))
				seen_by(s, sight_of(s, (enum object_kind)kind, c->ids[i]), iterator);
	}
}

/* Type and name of the object, if the kernel opens it by its id. */
static void sight_label(struct look *l, const struct sight *x, struct finding *f)
{
	const struct kind *k = kind_of(x->kind);
	struct object_label label;

	if (f->type || machine_is_saved(l->env->machine))
		return;
	label = kind_label(l->env, k, x->id);
	if (label.avail != AVAIL_YES)
		return;
	f->type = label.type;
	f->name = *label.name ? label.name : NULL;
}

static void sight_report(struct look *l, const struct sight *x)
{
	struct finding *f = finding_add(l, "hidden", x->node);

	f->kind = object_kind_names[x->kind];
	f->id = x->id;
	f->why = "it exists, but the list of ids does not have it";
	f->seen_by = x->by;
	f->nseen_by = (uint32_t)x->nby;
	f->sure = x->id < l->counted.before[x->kind];
	sight_label(l, x, f);
}

static void seen_by_one(struct look *l, struct finding *f, const char *who)
{
	f->seen_by = arena_alloc(l->env->keep, sizeof(*f->seen_by));
	f->seen_by[0] = who;
	f->nseen_by = 1;
}

/* Only objects that could be read afterwards: an object that is being freed may be in the list but not in an iterator.
 */
static void iterators_lack(struct look *l)
{
	for (uint32_t i = 0; i < l->g.nodes; i++) {
		const struct graph_node *n = &l->g.node[i];
		const struct counted_ids *walked;
		struct finding *f;

		if (!is_object(n) || !n->schema)
			continue;
		walked = &l->counted.walked[n->kind];
		if (walked->why || counted_has(walked, (uint32_t)n->id) ||
		    !counted_has(&l->counted.listed[n->kind], (uint32_t)n->id))
			continue;
		f = finding_add(l, "hidden", n);
		f->why = "the list of ids has it, but no iterator of the kernel does";
		f->sure = true;
		seen_by_one(l, f, "the list of ids");
	}
}

/* The process may have started after /proc was listed. */
static void processes_lack(struct look *l)
{
	const struct counted_ids *listed = &l->counted.listed[COUNTED_PROCESS],
				 *walked = &l->counted.walked[COUNTED_PROCESS];

	for (size_t i = 0; !listed->why && i < walked->n; i++) {
		struct finding *f = counted_has(listed, walked->ids[i]) ? NULL : finding_add(l, "hidden", NULL);

		if (!f)
			continue;
		f->kind = counted_process;
		f->id = walked->ids[i];
		f->why = "it runs, but /proc does not list it";
		seen_by_one(l, f, iterator);
	}
}

/* A listed object that cannot be opened may have been freed meanwhile. */
static void opening_lacks(struct look *l)
{
	struct hash there;

	hash_init(&there, l->env->keep);
	for (uint32_t i = 0; i < l->g.nodes; i++)
		if (is_object(&l->g.node[i]) && (l->g.node[i].schema || l->g.node[i].unknown))
			*hash_put(&there, KEY(l->g.node[i].kind, l->g.node[i].id)) = l;
	for (unsigned kind = 0; kind < OBJECT_KINDS; kind++) {
		const struct counted_ids *c = &l->counted.listed[kind];

		for (size_t i = 0; i < c->n; i++) {
			struct finding *f =
				hash_get(&there, KEY(kind, c->ids[i])) ? NULL : finding_add(l, "hidden", NULL);

			if (!f)
				continue;
			f->kind = object_kind_names[kind];
			f->id = c->ids[i];
			f->why = "the list of ids has it, but the kernel reports that it does not exist";
			seen_by_one(l, f, "the list of ids");
		}
	}
}

void sights_compare(struct look *l)
{
	struct sights s = { .l = l };

	if (!l->counts)
		return;
	hash_init(&s.by_id, l->env->keep);
	graph_sees(&s);
	processes_see(&s);
	pins_see(&s);
	iterators_see(&s);
	for (size_t i = 0; i < s.n; i++)
		sight_report(l, s.all[i]);
	iterators_lack(l);
	opening_lacks(l);
	processes_lack(l);
}
