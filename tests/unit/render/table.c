/* SPDX-License-Identifier: BSD-2-Clause */
#include "rendering.h"

#include "record/view.h"

static const struct sample a = { .id = 7, .type = 1, .name = "caf\xc3\xa9", .size = 1536 };
static const struct sample b = {
	.id = 12345, .type = 37, .size = 3, .part_map = 11, .kind = 1, .has_time = AVAIL_UNKNOWN
};

static void default_columns(void **state)
{
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_table, NULL);
	render_record(&t.r, &a);
	render_record(&t.r, &b);
	assert_string_equal(rendering_end(&t),
			    "   ID  TYPE         NAME  BYTES\n"
			    "    7  xdp          caf\xc3\xa9   1.5K\n"
			    "12345  unknown(37)  -         3\n");
	assert_int_equal(t.r.unknown, 0);
	rendering_free(&t);
}

static void chosen_columns(void **state)
{
	const char *cols[] = { "map_id", "loaded_at", "name" };
	struct view view = { .cols = cols, .ncols = 3 };
	struct sample evil = { .name = "x\033[2J\n" };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_table, &view);
	t.r.headings = false;
	render_section(&t.r, &sample_schema, &view);
	render_record(&t.r, &a);
	render_record(&t.r, &b);
	render_record(&t.r, &evil);
	assert_string_equal(rendering_end(&t), " -  -  caf\xc3\xa9\n11  ?  -\n -  -  x\\x1b[2J\\x0a\n");
	assert_int_equal(t.r.unknown, 1);
	rendering_free(&t);
}

static void sections_are_tables(void **state)
{
	const char *cols[] = { "id" };
	struct view view = { .cols = cols, .ncols = 1 };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_table, &view);
	t.out.color = true;
	render_record(&t.r, &a);
	render_section(&t.r, &sample_schema, &view);
	render_record(&t.r, &b);
	assert_string_equal(rendering_end(&t), "\033[1mID\033[0m\n 7\n\n\033[1m   ID\033[0m\n12345\n");
	rendering_free(&t);
}

/* The measured records are printed, then each record at once, in the same columns: no records are kept. */
static void flows_when_measured(void **state)
{
	const char *cols[] = { "id", "name" };
	struct view view = { .cols = cols, .ncols = 2 };
	struct sample wide = { .id = 1234567, .name = "x" };
	struct rendering t;

	(void)state;
	rendering_start(&t, &render_table, &view);
	t.r.measure = 2;
	render_record(&t.r, &b);
	assert_int_equal(t.out.n, 0);
	render_record(&t.r, &a);
	assert_string_equal(out_cstr(&t.out), "   ID  NAME\n12345  -\n    7  caf\xc3\xa9\n");
	render_record(&t.r, &wide);
	render_record(&t.r, &a);
	assert_string_equal(out_cstr(&t.out),
			    "   ID  NAME\n12345  -\n    7  caf\xc3\xa9\n1234567  x\n    7  caf\xc3\xa9\n");
	render_section(&t.r, &sample_schema, &view);
	render_record(&t.r, &a);
	assert_string_equal(
		rendering_end(&t) +
			strlen("   ID  NAME\n12345  -\n    7  caf\xc3\xa9\n1234567  x\n    7  caf\xc3\xa9\n"),
		"\nID  NAME\n 7  caf\xc3\xa9\n");
	rendering_free(&t);
}

/* No line ends in a blank, all have the same number of cells, and number columns line up. */
static void random_tables_are_straight(void **state)
{
	const char *cols[] = { "id", "prio", "map_ids", "tag", "funcs", "path" };
	struct view view = { .cols = cols, .ncols = 3 };
	struct sample_memory m;
	struct rendering t;
	struct sample s;
	const char *p, *end;
	unsigned i, lines = 0;

	(void)state;
	srandom(41);
	rendering_start(&t, &render_table, &view);
	for (i = 0; i < 500; i++) {
		sample_random(&s, &m);
		render_record(&t.r, &s);
	}
	for (p = rendering_end(&t); *p; p = end + 1, lines++) {
		unsigned cells = 1;

		end = strchr(p, '\n');
		assert_non_null(end);
		assert_true(end > p && end[-1] != ' ');
		p += strspn(p, " ");
		for (; p < end; p++)
			cells += p[0] == ' ' && p[1] != ' ';
		assert_int_equal(cells, 3);
	}
	assert_int_equal(lines, 501);
	rendering_free(&t);
	view.ncols = ARRAY_SIZE(cols);
	rendering_start(&t, &render_table, &view);
	for (i = 0; i < 500; i++) {
		sample_random(&s, &m);
		render_record(&t.r, &s);
	}
	assert_null(strstr(rendering_end(&t), " \n"));
	assert_null(strchr(out_cstr(&t.out), '\033'));
	rendering_free(&t);
}

/* On a terminal times are relative, except those of another clock or of long ago. */
static void so_long_ago(void **state)
{
	const char *cols[] = { "id", "loaded_at" };
	struct view view = { .cols = cols, .ncols = 2 };
	static const uint64_t before[] = { 0, 300, 99 * 86400, 100 * 86400, (uint64_t)-1 };
	struct rendering t;

	(void)state;
	setenv("TZ", "UTC", 1);
	rendering_start(&t, &render_table, &view);
	t.r.now = 1795257205;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		struct sample s = { .id = (uint32_t)i, .has_time = AVAIL_YES, .time = t.r.now - before[i] };

		render_record(&t.r, &s);
	}
	render_record(&t.r, &(struct sample){ .id = 9, .has_time = AVAIL_UNKNOWN });
	assert_string_equal(rendering_end(&t),
			    "ID  LOADED_AT\n 0  0s ago\n 1  5m ago\n 2  99d ago\n 3  2026-08-13T10:33:25+0000\n"
			    " 4  2026-11-21T10:33:26+0000\n 9  ?\n");
	rendering_free(&t);
}

/* On a terminal: names lose their middle, numbers never, and selected columns stay. */
static void fits_the_terminal(void **state)
{
	const char *cols[] = { "id", "name", "map_id" };
	struct view view = { .cols = cols, .ncols = 3 };
	struct sample longer = { .id = 1234567, .name = "a_name_of_chars", .part_map = 11, .kind = 1 };
	struct rendering t;

	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("COLUMNS", "29", 1);
	rendering_start(&t, &render_table, &view);
	t.out.tty = true;
	render_end(&t.r);
	t.out.n = 0;
	render_begin(&t.r);
	render_section(&t.r, &sample_schema, &view);
	render_record(&t.r, &longer);
	assert_string_equal(rendering_end(&t),
			    "     ID  NAME          MAP_ID\n1234567  a_name\xe2\x80\xa6"
			    "chars      11\n");
	assert_null(t.r.left_out);
	rendering_free(&t);
	unsetenv("COLUMNS");
}

struct place {
	const char *path, *unused, *size, *help;
};
static const struct field place_fields[] = {
	FIELD(place, path, "path", "path", .flags = FIELD_DEFAULT),
	FIELD(place, unused, "unused", "no row has it", .flags = FIELD_DEFAULT | FIELD_NONZERO, .drop = 1),
	FIELD(place, size, "size", "size", .flags = FIELD_DEFAULT),
	FIELD(place, help, "help", "a sentence", .flags = FIELD_DEFAULT | FIELD_PROSE),
};
static const struct schema place_schema = SCHEMA("place", place, place_fields);

/* On a terminal: a path keeps its end, columns stay aligned, sentences go on below, and an empty column is left out. */
static void sentences_and_paths(void **state)
{
	static const struct place places[] = {
		{ .path = "/sys/fs/bpf/a/directory/name",
		  .size = "1",
		  .help = "a sentence that goes on, and on, and on" },
		{ .path = "/", .size = "2", .help = "root" },
	};
	struct rendering t;

	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("COLUMNS", "57", 1);
	rendering_start(&t, &render_table, NULL);
	t.out.tty = true;
	render_end(&t.r);
	t.out.n = 0;
	render_begin(&t.r);
	render_section(&t.r, &place_schema, NULL);
	render_record(&t.r, &places[0]);
	render_record(&t.r, &places[1]);
	assert_string_equal(rendering_end(&t),
			    "PATH               SIZE  HELP\n"
			    "\xe2\x80\xa6/directory/name   1     a sentence that goes on, and on,\n"
			    "                         and on\n"
			    "/                  2     root\n");
	assert_string_equal(t.r.left_out, "unused");
	rendering_free(&t);
	unsetenv("COLUMNS");
}

/* Without a limit of the line, one long cell does not pad the other rows; up to 256 characters it does. */
static void one_long_cell(void **state)
{
	static char text[300];
	const char *lines[4];
	struct rendering t;

	(void)state;
	memset(text, 'x', 299);
	for (size_t n = 256; n <= 257; n++) {
		const size_t width = n == 256 ? n : 4; /* of "PATH" */

		text[n] = '\0';
		rendering_start(&t, &render_table, NULL);
		render_end(&t.r);
		t.out.n = 0;
		render_begin(&t.r);
		render_section(&t.r, &place_schema, NULL);
		render_record(&t.r, &(struct place){ .path = "/", .size = "1", .help = "root" });
		render_record(&t.r, &(struct place){ .path = text, .size = "2", .help = "long" });
		render_record(&t.r, &(struct place){ .path = "/", .size = "3", .help = "root" });
		lines[0] = rendering_end(&t);
		for (size_t i = 1; i < ARRAY_SIZE(lines); i++)
			lines[i] = strchr(lines[i - 1], '\n') + 1;
		assert_true(strstr(lines[0], "UNUSED") == lines[0] + width + 2);
		assert_int_equal(lines[2] - lines[1], strlen("/  -       1     root\n") + width - 1);
		assert_int_equal(lines[3] - lines[2], strlen("  -       2     long\n") + n);
		assert_int_equal(strlen(lines[3]), strlen("/  -       3     root\n") + width - 1);
		rendering_free(&t);
		text[n] = 'x';
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_columns),
		cmocka_unit_test(chosen_columns),
		cmocka_unit_test(sections_are_tables),
		cmocka_unit_test(flows_when_measured),
		cmocka_unit_test(random_tables_are_straight),
		cmocka_unit_test(so_long_ago),
		cmocka_unit_test(fits_the_terminal),
		cmocka_unit_test(sentences_and_paths),
		cmocka_unit_test(one_long_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
