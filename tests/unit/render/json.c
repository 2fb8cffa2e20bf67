/* SPDX-License-Identifier: BSD-2-Clause */
#include "rendering.h"

#include "../strict_json.h"
#include "record/view.h"

static void every_type(void **state)
{
	uint32_t ids[] = { 5, 6 };
	const char *pins[] = { "/a", NULL };
	struct sample_row rows[] = { { 1, 2, "f\"" }, { 3, 4, NULL } };
	struct sample_pair meta[] = { { "k\"", "1" }, { "v", "{\"a\":[]}" } };
	struct sample s = {
		.id = 7,
		.type = 37,
		.name = "eth",
		.tag = { 0xab },
		.info_len = 4,
		.info.flags = 0x480,
		.gpl = true,
		.has_time = AVAIL_YES,
		.time = 1000,
		.size = 2,
		.prio = -5,
		.addr = 255,
		.json = "[1,{}]",
		.ids = ids,
		.n_ids = 2,
		.pins = pins,
		.n_pins = 2,
		.rows = rows,
		.n_rows = 2,
		.dev = rows,
		.n_dev = 1,
		.pids = rows,
		.n_pids = 1,
		.meta = meta,
		.n_meta = 2,
		.btf = 3,
	};
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_json, NULL);
	render_record(&t.r, &s);
	assert_string_equal(
		rendering_end(&t),
		"[{\"id\":7,\"type\":\"unknown(37)\",\"name\":\"eth\",\"tag\":\"ab00000000000000\",\"gpl_compatible\":true,"
		"\"flags\":1152,\"loaded_at\":1000,\"bytes\":2,\"jited\":false,\"orphaned\":false,\"run_time_ns\":0,"
		"\"prio\":-5,\"tiny\":0,\"port\":0,\"addr\":255,\"extra\":[1,{}],\"map_ids\":[5,6],\"pinned\":[\"/a\",null],"
		"\"funcs\":[{\"addr\":1,\"cookie\":2,\"func\":\"f\\\"\"},{\"addr\":3,\"cookie\":4}],"
		"\"dev\":{\"addr\":1,\"cookie\":2,\"func\":\"f\\\"\"},\"pids\":[{\"pid\":1,\"comm\":\"f\\\"\"}],"
		"\"metadata\":{\"k\\\"\":1,\"v\":{\"a\":[]}},\"btf_id\":3}]");
	assert_int_equal(t.r.unknown, 0);
	rendering_free(&t);
}

static void columns_in_their_order(void **state)
{
	const char *cols[] = { "btf_id", "map_id", "pinned", "id" };
	struct view view = { .cols = cols, .ncols = 4, .need = NEED_PINS };
	struct sample s = { .id = 7, .btf = 4, .part_map = 9, .kind = 1 };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_json, &view);
	t.r.skip_need = NEED_PINS;
	render_record(&t.r, &s);
	s.kind = 0;
	view.need = 0;
	render_record(&t.r, &s);
	assert_string_equal(rendering_end(&t),
			    "[{\"btf_id\":4,\"map_id\":9,\"pinned\":[],\"id\":7},{\"btf_id\":4,\"id\":7}]");
	rendering_free(&t);
}

static void single_and_empty(void **state)
{
	const char *cols[] = { "id" };
	struct view view = { .cols = cols, .ncols = 1 };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_json, NULL);
	assert_string_equal(rendering_end(&t), "[]");
	rendering_free(&t);
	rendering_start(&t, &render_json, NULL);
	render_end(&t.r);
	t.out.n = 0;
	t.r.single = true;
	render_begin(&t.r);
	render_section(&t.r, &sample_schema, &view);
	render_record(&t.r, &(struct sample){ .id = 3 });
	assert_string_equal(rendering_end(&t), "{\"id\":3}");
	rendering_free(&t);
	/* Inside an open document, only the parts that were opened here are closed. */
	rendering_start(&t, &render_json, NULL);
	render_end(&t.r);
	t.out.n = 0;
	jsonw_object(&t.jw);
	jsonw_name(&t.jw, "progs");
	render_begin(&t.r);
	render_section(&t.r, &sample_schema, &view);
	render_record(&t.r, &(struct sample){ .id = 3 });
	render_end(&t.r);
	jsonw_end(&t.jw);
	assert_string_equal(out_cstr(&t.out), "{\"progs\":[{\"id\":3}]}");
	rendering_free(&t);
}

static void lines(void **state)
{
	const char *cols[] = { "id", "name" };
	struct view view = { .cols = cols, .ncols = 2 };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_ndjson, &view);
	render_record(&t.r, &(struct sample){ .id = 3, .name = "\n" });
	render_record(&t.r, &(struct sample){ .id = 4 });
	assert_string_equal(rendering_end(&t), "{\"id\":3,\"name\":\"\\n\"}\n{\"id\":4}\n");
	rendering_free(&t);
}

static void members_of_an_open_object(void **state)
{
	struct sample s = { .id = 3, .info_len = 4, .has_time = AVAIL_UNKNOWN };
	size_t unknown = 5;
	struct jsonw w;
	struct out o;

	(void)state;
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	jsonw_object(&w);
	render_json_fields(&w, &sample_schema, &s, NEED_FDINFO | NEED_PINS, &unknown);
	render_json_fields(&w, &sample_row_schema, &(struct sample_row){ 0 }, 0, NULL);
	jsonw_end(&w);
	assert_int_equal(unknown, 6);
	assert_null(strstr(out_cstr(&o), "port"));
	assert_null(strstr(o.buf, "pinned"));
	out_close(&o, NULL);
}

/* Random records: strict JSON in both layouts, with exactly the keys of the rows that apply. */
static void keys_are_the_rows_of_the_table(void **state)
{
	unsigned i;

	(void)state;
	srandom(31);
	for (i = 0; i < 3000; i++) {
		struct sample_memory m;
		struct sample s;
		struct rendering t;
		struct strict json;
		struct schema_iter it = SCHEMA_ITER(&sample_schema, &s);
		const struct field *f;
		size_t n = 0, unknown = 0;

		sample_random(&s, &m);
		rendering_start(&t, i % 3 ? &render_json : &render_ndjson, NULL);
		t.jw.pretty = i % 2;
		render_record(&t.r, &s);
		rendering_end(&t);
		if (!strict_json(&json, t.out.buf, t.out.n, i % 3 ? 2 : 1))
			fail_msg("%s", out_cstr(&t.out));
		while ((f = schema_next(&it))) {
			struct value v = schema_value(&it, f);
			bool want = v.avail != AVAIL_NO;

			if (strict_has_key(&json, f->name) != want)
				fail_msg("%s in %s", f->name, out_cstr(&t.out));
			n += want;
			unknown += want && v.avail == AVAIL_UNKNOWN;
		}
		assert_int_equal(json.nkeys, n);
		if (unknown)
			assert_int_equal(t.r.unknown, 1);
		rendering_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type),
		cmocka_unit_test(columns_in_their_order),
		cmocka_unit_test(single_and_empty),
		cmocka_unit_test(lines),
		cmocka_unit_test(members_of_an_open_object),
		cmocka_unit_test(keys_are_the_rows_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
