/* SPDX-License-Identifier: BSD-2-Clause */
#include "rendering.h"

static void nodes_and_edges(void **state)
{
	uint32_t ids[] = { 5, 0, 6 };
	struct sample s = { .id = 7, .name = "a\"\\\n", .ids = ids, .n_ids = 3, .kind = 1, .part_map = 9 };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_dot, NULL);
	render_record(&t.r, &s);
	render_record(&t.r, &(struct sample){ .id = 8, .btf = 3 });
	render_section(&t.r, &sample_row_schema, NULL);
	render_record(&t.r, &(struct sample_row){ .addr = 1 });
	assert_string_equal(rendering_end(&t),
		"digraph bpf {\n"
		"\tsubgraph cluster_0 {\n\t\tlabel=\"sample\";\n"
		"\t\t\"sample_7\" [label=\"sample 7\\na\\\"\\\\\\\\x0a\"];\n"
		"\t\t\"sample_8\" [label=\"sample 8\"];\n"
		"\t}\n"
		"\tsubgraph cluster_1 {\n\t\tlabel=\"row\";\n"
		"\t\t\"row_1\" [label=\"\"];\n"
		"\t}\n"
		"\t\"sample_7\" -> \"map_5\" [label=\"map_ids\"];\n"
		"\t\"sample_7\" -> \"map_6\" [label=\"map_ids\"];\n"
		"\t\"sample_7\" -> \"map_9\" [label=\"map_id\"];\n"
		"\t\"sample_8\" -> \"btf_3\" [label=\"btf_id\"];\n"
		"}\n");
	rendering_free(&t);
}

/* Pins and processes become nodes of their own, a process once; what could not be read is said. */
static void holders(void **state)
{
	const char *pins[] = { "/p/a\"", NULL };
	struct sample_row pids[] = { { .addr = 12, .func = "sh\033" }, { .addr = 0 }, { .addr = 13 } };
	struct sample a = { .id = 1, .pins = pins, .n_pins = 2, .pids = pids, .n_pids = 3 };
	struct sample b = { .id = 2, .pids = pids, .n_pids = 1 };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_dot, NULL);
	render_record(&t.r, &a);
	render_record(&t.r, &b);
	assert_string_equal(rendering_end(&t),
		"digraph bpf {\n"
		"\tsubgraph cluster_0 {\n\t\tlabel=\"sample\";\n"
		"\t\t\"sample_1\" [label=\"sample 1\"];\n"
		"\t\t\"sample_2\" [label=\"sample 2\"];\n"
		"\t}\n"
		"\tsubgraph cluster_1 {\n\t\tlabel=\"pin\";\n"
		"\t\t\"pin_/p/a\\\"\" [label=\"/p/a\\\"\"];\n"
		"\t}\n"
		"\tsubgraph cluster_2 {\n\t\tlabel=\"process\";\n"
		"\t\t\"process_12\" [label=\"process 12\\nsh\\\\x1b\"];\n"
		"\t\t\"process_13\" [label=\"process 13\"];\n"
		"\t}\n"
		"\t\"pin_/p/a\\\"\" -> \"sample_1\" [label=\"pinned\"];\n"
		"\t\"process_12\" -> \"sample_1\" [label=\"pid\"];\n"
		"\t\"process_13\" -> \"sample_1\" [label=\"pid\"];\n"
		"\t\"process_12\" -> \"sample_2\" [label=\"pid\"];\n"
		"}\n");
	rendering_free(&t);
}

static void empty(void **state)
{
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_dot, NULL);
	assert_string_equal(rendering_end(&t), "digraph bpf {\n\tsubgraph cluster_0 {\n\t\tlabel=\"sample\";\n\t}\n}\n");
	rendering_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nodes_and_edges), cmocka_unit_test(holders), cmocka_unit_test(empty) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
