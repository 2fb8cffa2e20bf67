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
		"\t\t\"row_0\" [label=\"row 0\"];\n"
		"\t}\n"
		"\t\"sample_7\" -> \"map_5\" [label=\"map_ids\"];\n"
		"\t\"sample_7\" -> \"map_6\" [label=\"map_ids\"];\n"
		"\t\"sample_7\" -> \"map_9\" [label=\"map_id\"];\n"
		"\t\"sample_8\" -> \"btf_3\" [label=\"btf_id\"];\n"
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(nodes_and_edges), cmocka_unit_test(empty) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
