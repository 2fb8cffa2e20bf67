/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "base/base.h"
#include "base/near.h"
#include "cli/complete.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/parse/object.h"
#include "cli/select.h"
#include "relate/attached.h"

struct node_hit {
	uint32_t *node;
	size_t n, cap;
	bool *has; /* by node: is it in the list? */
};

static void node_found(struct env *env, struct node_hit *f, uint32_t node)
{
	if (f->has[node])
		return;
	f->has[node] = true;
	ARENA_MORE(env->keep, f->node, f->n, f->cap);
	f->node[f->n++] = node;
}

/* Add the nodes of a kind with that id; @kind NODE_KINDS: of all kinds of objects. */
static size_t add_number(struct env *env, const struct graph *g, unsigned kind, uint64_t id, struct node_hit *f)
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].id == id &&
		    (kind == NODE_KINDS ? g->node[i].kind < EDGE_PIN : g->node[i].kind == kind)) {
			node_found(env, f, i);
			n++;
		}
	return n;
}

static int no_such(struct env *env, const struct graph *g, const char *word, struct err *e)
{
	const char *missing = report_missing(env->report, env->machine, env->arena);
	struct near near = { 0 };
	STR similar = { 0 };

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].name)
			near_offer(&near, word, g->node[i].name);
	err_set(e, -ENOENT, "nothing has the name '%s'", word);
	near_list(&near, &similar);
	if (missing)
		return err_hint(e, "%s%s%snot all could be read: %.200s", near.n ? "similar: " : "",
				near.n ? similar.p : "", near.n ? "; " : "", missing);
	return near_hint(&near, e);
}

static bool is_named(const struct graph_node *n, const char *word)
{
	if (n->kind == NODE_ATTACHMENT)
		return attachment_is_at(&((const struct ls_rec *)n->rec)->a, word);
	return n->name && !strcmp(n->name, word);
}

static int add_bare(struct env *env, const struct graph *g, const char *word, struct node_hit *f, struct err *e)
{
	const size_t before = f->n;
	uint32_t id;
	size_t n = 0;

	if (!num_parse_u32(word, &id))
		n = add_number(env, g, NODE_KINDS, id, f);
	if (n > 1) {
		err_set(e, -ENOTUNIQ, "several objects have the id %u", id);
		return err_hint(e, "name the kind: %s %u or %s %u", graph_word(&g->node[f->node[before]]), id,
				graph_word(&g->node[f->node[before + 1]]), id);
	}
	for (uint32_t i = 0; !n && i < g->nodes; i++)
		if (is_named(&g->node[i], word))
			node_found(env, f, i);
	return n || f->n > before ? 0 : no_such(env, g, word, e);
}

/* Parse words that begin with a kind of object; returns the number of words used, 0: failed. */
static size_t add_of_kind(struct env *env, const struct graph *g, const struct kind *k, const struct arg_list *words,
			  struct node_hit *f, struct err *e)
{
	struct object_ref ref;
	const uint32_t *ids;
	size_t n, used = parser_ref(env, k, words, &ref, e);

	if (!used || select_objects(env, env->keep, k, &ref, &ids, &n, e))
		return 0;
	for (size_t i = 0; i < n; i++)
		for (unsigned kind = 0; kind < EDGE_PIN; kind++)
			if (!strcmp(edge_to_word((enum edge_to)kind), k->name) && !add_number(env, g, kind, ids[i], f))
				return select_no_such(k, ids[i], e), 0;
	return used;
}

static size_t add_words(struct env *env, const struct graph *g, const struct arg_list *words, struct node_hit *f,
			struct err *e)
{
	const struct arg_list rest = { words->word + 1, words->n - 1 };
	const char *word = words->word[0];
	uint32_t pid;
	size_t n;

	for (size_t i = 0; kinds[i]; i++)
		if (!strcmp(kinds[i]->name, word)) {
			n = add_of_kind(env, g, kinds[i], &rest, f, e);
			return n ? n + 1 : 0;
		}
	if (!strcmp(word, edge_to_word(EDGE_PROCESS)) && rest.n) {
		if (num_parse_u32(rest.word[0], &pid) || !add_number(env, g, EDGE_PROCESS, pid, f))
			return err_set(e, -ENOENT, "process %s holds nothing that can be seen", rest.word[0]), 0;
		return 2;
	}
	return add_bare(env, g, word, f, e) ? 0 : 1;
}

int graph_find(struct env *env, const struct graph *g, const struct arg_list *words, const uint32_t **ret,
	       size_t *ret_n, struct err *e)
{
	struct node_hit f = { .has = arena_array(env->keep, g->nodes, sizeof(bool)) };

	for (size_t i = 0; i < words->n;) {
		size_t used = add_words(env, g, &(struct arg_list){ words->word + i, words->n - i }, &f, e);

		if (!used)
			return e->code;
		i += used;
	}
	*ret = f.node;
	*ret_n = f.n;
	return 0;
}

void graph_offer_objects(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	static const struct arg_list none;
	const struct kind *k;

	for (size_t i = 0; (k = kinds[i]); i++) {
		if (!before->n)
			offer(ctx, k->name, k->noun);
		else if (!strcmp(before->word[0], k->name))
			complete_object(k, &(struct arg_list){ before->word + 1, before->n - 1 }, ctx);
	}
	if (before->n)
		return;
	complete_object(&kind_prog, &none, ctx);
	complete_object(&kind_map, &none, ctx);
}
