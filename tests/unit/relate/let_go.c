/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "record/edge.h"
#include "relate/graph.h"
#include "source/task_place.h"

/* Commands for names that a shell, or the command itself, would read as something else. */
static void test_commands(void **state)
{
	static const struct task_place odd = { .service = "-x.service" },
				       user = { .service = "a b.service", .user = "7" },
				       nothing = { .unit = "user@7.service", .user = "7" };
	static const struct {
		struct graph_node node;
		const char *want;
	} rows[] = {
		{ { .kind = EDGE_PIN, .name = "/sys/fs/bpf/a b" }, "bpflens prog unpin '/sys/fs/bpf/a b'" },
		{ { .kind = EDGE_PIN, .name = "/sys/fs/bpf/\x1b" },
		  "bpflens prog unpin \"$(printf '/sys/fs/bpf/\\033')\"" },
		{ { .kind = EDGE_PIN, .name = "/sys/fs/bpf/a\n" },
		  "# a pin whose name ends in a newline: no command names it in every shell" },
		{ { .kind = NODE_ATTACHMENT, .name = "eth0", .type = "xdp" }, "bpflens detach eth0 xdp id 5" },
		{ { .kind = NODE_ATTACHMENT, .name = "-x", .type = "xdp" }, "bpflens detach -- -x xdp id 5" },
		{ { .kind = NODE_ATTACHMENT, .name = "- x", .type = "xdp" }, "bpflens detach -- '- x' xdp id 5" },
		{ { .kind = NODE_ATTACHMENT, .name = "x\n", .type = "xdp" },
		  "# a place whose name ends in a newline: no command names it in every shell" },
		{ { .kind = EDGE_PROCESS, .id = 9 }, "kill 9" },
		{ { .kind = EDGE_PROCESS, .id = 9, .place = &nothing }, "kill 9" },
		{ { .kind = EDGE_PROCESS, .id = 9, .place = &odd }, "systemctl stop -- -x.service" },
		{ { .kind = EDGE_PROCESS, .id = 9, .place = &user }, "systemctl --user -M 7@ stop 'a b.service'" },
	};
	ARENA a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct graph_node node[] = { rows[i].node, { .kind = EDGE_PROG, .id = 5 } };
		const struct graph g = { .node = node, .nodes = 2 };

		node[0].in = node[0].out = node[1].in = node[1].out = GRAPH_NONE;
		assert_string_equal(graph_let_go(&g, 0, 1, a), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_commands) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
