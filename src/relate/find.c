/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "base/near.h"
#include "cli/complete.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/parse/object.h"
#include "cli/select.h"
#include "relate/attached.h"
#include "source/facts.h"

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
	uint32_t id;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].name)
			near_offer(&near, word, g->node[i].name);
	err_set(e, -ENOENT, "nothing has the %sname '%s'", num_parse_u32(word, &id) ? "" : "id or ", word);
	near_list(&near, &similar);
	if (missing)
		return err_hint(e, "%s%s%snot all could be read: %.200s", near.n ? "similar: " : "",
				near.n ? similar.p : "", near.n ? "; " : "", missing);
	return near_hint(&near, e);
}

/* An object; or a pin, device or other node, or an attachment by its place. */
static bool is_named(const struct graph_node *n, const char *word)
{
	if (n->kind == NODE_ATTACHMENT)
		return attachment_is_at(&((const struct ls_rec *)n->rec)->a, word);
	return n->name && !strcmp(n->name, word);
}

/* 1: found; 0: none; negative: several. */
static int add_id(struct env *env, const struct graph *g, uint32_t id, struct node_hit *f, struct err *e)
{
	const size_t before = f->n, n = add_number(env, g, NODE_KINDS, id, f);

	if (n < 2)
		return (int)n;
	err_set(e, -ENOTUNIQ, "several objects have the id %u", id);
	return err_hint(e, "name the kind: %s %u or %s %u", graph_word(&g->node[f->node[before]]), id,
			graph_word(&g->node[f->node[before + 1]]), id);
}

/* What is pinned at a path; true if there is a pin. The graph need not have all pins. */
static bool add_pinned(struct env *env, const struct graph *g, const char *path, struct node_hit *f)
{
	const struct pin *pins;
	bool any = false;
	size_t n;

	if (facts_all_pins(env->machine, &pins, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(pins[i].path, path))
			any |= add_number(env, g, (enum edge_to)pins[i].kind, pins[i].id, f) != 0;
	return any;
}

/* Nodes of that name, of kinds before @kinds_end; with @hook only attachments to it. */
static bool add_named(struct env *env, const struct graph *g, const char *name, const char *hook, unsigned kinds_end,
		      struct node_hit *f)
{
	bool any = false;

	for (uint32_t i = 0; i < g->nodes; i++) {
		const struct graph_node *n = &g->node[i];

		if (n->kind >= kinds_end || !is_named(n, name) ||
		    (hook && (n->kind != NODE_ATTACHMENT || strcmp(n->type, hook))))
			continue;
		node_found(env, f, i);
		any = true;
	}
	return any;
}

/* A process as lists print it: agent(123), pid:123. */
static bool is_process(const char *word, uint32_t *ret_pid)
{
	const size_t n = strlen(word);
	const char *digits = strrchr(word, '(');
	char text[16];

	if (str_starts(word, "pid:"))
		return !num_parse_u32(word + strlen("pid:"), ret_pid);
	if (!digits || word[n - 1] != ')' || n - (size_t)(digits - word) - 2 >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(word + n - 1 - (digits + 1)), digits + 1);
	return !num_parse_u32(text, ret_pid);
}

static int add_process(struct env *env, const struct graph *g, const char *word, uint32_t pid, struct node_hit *f,
		       struct err *e)
{
	return add_number(env, g, EDGE_PROCESS, pid, f) ?
		       0 :
		       err_set(e, -ENOENT, "process %s holds nothing that can be seen", word);
}

/* Returns the number of words used, 0: failed. */
static size_t add_bare(struct env *env, const struct graph *g, const struct arg_list *words, struct node_hit *f,
		       struct err *e)
{
	const char *word = words->word[0];
	uint32_t id;
	int found;

	if (words->n > 1 && add_named(env, g, word, words->word[1], NODE_KINDS, f))
		return 2;
	found = num_parse_u32(word, &id) ? 0 : add_id(env, g, id, f, e);
	if (found < 0)
		return 0;
	if (found || add_pinned(env, g, word, f) || add_named(env, g, word, NULL, NODE_KINDS, f))
		return 1;
	if (is_process(word, &id))
		return !add_process(env, g, word, id, f, e);
	return no_such(env, g, word, e), 0;
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
			if (!strcmp(edge_words[kind], k->name) && !add_number(env, g, kind, ids[i], f))
				return select_no_such(env, k, ids[i], e), 0;
	return used;
}

/* By selectors that the kind of object need not precede. */
static int add_selected(struct env *env, const struct graph *g, const char *by, const char *text, struct node_hit *f,
			struct err *e)
{
	uint32_t id;
	int found;

	if (!strcmp(by, "pinned"))
		return add_pinned(env, g, text, f) ? 0 : err_set(e, -ENOENT, "nothing is pinned at '%s'", text);
	if (!strcmp(by, "name"))
		return add_named(env, g, text, NULL, EDGE_PIN, f) ? 0 : no_such(env, g, text, e);
	if (num_parse_u32(text, &id))
		return err_usage(e, "can't parse %s as id", text);
	found = add_id(env, g, id, f, e);
	return found ? found < 0 ? found : 0 : no_such(env, g, text, e);
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
	if (rest.n && !strcmp(word, "tag"))
		return add_of_kind(env, g, &kind_prog, words, f, e);
	if (rest.n && str_has_word("id name pinned", word))
		return add_selected(env, g, word, rest.word[0], f, e) ? 0 : 2;
	if (rest.n && str_has_word("process pid", word)) {
		if (num_parse_u32(rest.word[0], &pid))
			return err_usage(e, "can't parse %s as process id", rest.word[0]), 0;
		return add_process(env, g, rest.word[0], pid, f, e) ? 0 : 2;
	}
	return add_bare(env, g, words, f, e);
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
