/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "cli/env.h"
#include "kernel/abi.h"
#include "map/map.h"
#include "relate/misfit.h"

/* An attachment, its program, a map that it uses, another map, and one more holder of that. */
enum { PLACE, PROG, USED, MAP, HOLDER, NODES };
static const struct row {
	const char *type, *name; /* of the other map */
	uint32_t kind, flags;
	unsigned holder;   /* enum edge_to */
	bool used, placed; /* by the program; the program is attached */
	enum misfit want;
} rows[] = {
	{ "hash", "state", 1, 0, EDGE_PIN, false, true, MISFIT_STALE },
	{ "hash", "state", 1, 0, EDGE_PIN, true, true, MISFIT_NONE },
	{ "hash", "state", 1, 0, EDGE_PIN, false, false, MISFIT_NONE },
	{ "hash", "state", 1, 0, EDGE_PROCESS, false, true, MISFIT_NONE },
	{ "array", "state", 2, 0, EDGE_PIN, false, true, MISFIT_NONE },
	{ "hash", "other", 1, 0, EDGE_PIN, false, true, MISFIT_NONE },
	{ "hash", NULL, 1, 0, EDGE_PIN, false, true, MISFIT_NONE },
	{ "ringbuf", "r", ABI_MAP_RINGBUF, 0, EDGE_PIN, true, true, MISFIT_UNREAD },
	{ "ringbuf", "r", ABI_MAP_RINGBUF, 0, EDGE_PIN, true, false, MISFIT_NONE },
	{ "ringbuf", "r", ABI_MAP_RINGBUF, 0, EDGE_PROCESS, true, true, MISFIT_NONE },
	{ "ringbuf", "r", ABI_MAP_RINGBUF, 0, EDGE_PROCESS, false, true, MISFIT_UNWRITTEN },
	{ "ringbuf", "r", ABI_MAP_RINGBUF, 0, EDGE_PIN, false, true, MISFIT_NONE },
	{ "user_ringbuf", "r", ABI_MAP_USER_RINGBUF, 0, EDGE_PIN, true, true, MISFIT_UNWRITTEN },
	{ "user_ringbuf", "r", ABI_MAP_USER_RINGBUF, 0, EDGE_PROCESS, false, true, MISFIT_UNREAD },
	{ "perf_event_array", "r", ABI_MAP_PERF_EVENT_ARRAY, 0, EDGE_PIN, true, true, MISFIT_UNREAD },
	{ "perf_event_array", "r", ABI_MAP_PERF_EVENT_ARRAY, ABI_MAP_PRESERVE_ELEMS, EDGE_PIN, true, true,
	  MISFIT_UNREAD },
	{ "hash", "r", 1, 0, EDGE_PROCESS, false, true, MISFIT_NONE },
};

static void edge(struct graph *g, uint32_t from, uint32_t to)
{
	g->edge[g->edges] = (struct graph_edge){ from, to, g->node[to].in, g->node[from].out, true, "" };
	g->node[to].in = g->node[from].out = g->edges++;
}

static void test_rules(void **state)
{
	ARENA a = arena_new();
	struct env env = { .keep = a };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		const struct map_rec used = { .info.type = 1 },
				     map = { .info = { .type = r->kind, .map_flags = r->flags } };
		struct graph_node node[NODES] = {
			[PLACE] = { .kind = NODE_ATTACHMENT },
			[PROG] = { .kind = EDGE_PROG, .id = 7, .type = "xdp", .name = "count" },
			[USED] = { .kind = EDGE_MAP, .id = 8, .type = "hash", .name = "state", .rec = &used },
			[MAP] = { .kind = EDGE_MAP, .id = 9, .type = r->type, .name = r->name, .rec = &map },
			[HOLDER] = { .kind = r->holder },
		};
		struct graph_edge edges[NODES];
		struct graph g = { .node = node, .edge = edges, .nodes = NODES };
		struct misfits m;
		const char *why = NULL;

		for (unsigned k = 0; k < NODES; k++)
			node[k].in = node[k].out = GRAPH_NONE;
		edge(&g, PROG, USED);
		edge(&g, HOLDER, MAP);
		if (r->placed)
			edge(&g, PLACE, PROG);
		if (r->used)
			edge(&g, PROG, MAP);
		misfits_init(&m, &env, &g);
		if (misfit_of(&m, MAP, &why) != r->want)
			fail_msg("row %zu: %d", i, misfit_of(&m, MAP, &why));
		assert_int_equal(why != NULL, r->want != MISFIT_NONE);
		assert_int_equal(misfit_of(&m, USED, &why), MISFIT_NONE);
		assert_int_equal(misfit_of(&m, PROG, &why), MISFIT_NONE);
		if (!i)
			assert_string_equal(why, "prog 7 xdp count, which is attached, uses map 8 of this name");
		if (r->flags)
			assert_true(str_starts(why, "perhaps"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rules) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
