/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "metrics/metrics.h"
#include "metrics/text.h"
#include "record/field.h"

static void labels_are_escaped(void **state)
{
	static const struct {
		const char *value, *text;
	} cases[] = {
		{ "", "" },
		{ "tcp_v4", "tcp_v4" },
		{ "a\"b\\c\nd", "a\\\"b\\\\c\\nd" },
		{ "\x1b[2J\x7f", "\\\\x1b[2J\\\\x7f" },
		{ "\xff\xc3(", "\\\\xff\\\\xc3(" }, /* not UTF-8 */
		{ "caf\xc3\xa9", "caf\xc3\xa9" },   /* e with an acute accent */
		{ "a\xe2\x80\xae"
		  "b",
		  "a\\\\xe2\\\\x80\\\\xaeb" }, /* right-to-left override */
		{ "\xc3", "\\\\xc3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out o;

		out_init(&o, -1);
		metrics_put_label(&o, cases[i].value);
		assert_string_equal(out_cstr(&o), cases[i].text);
		out_close(&o, NULL);
	}
}

/* What the formats require of names and help, and the printing of sets. */
static void the_table_is_valid(void **state)
{
	unsigned values[SETS] = { 0 };
	ARENA a = arena_new();

	for (const struct metrics_row *m = metrics; m->name; m++) {
		const char *help = metric_help(m, a);

		assert_true(m->name[strspn(m->name, "abcdefghijklmnopqrstuvwxyz_")] == '\0');
		assert_true(m->field ? metric_field(m) != NULL : m->help != NULL);
		assert_null(strpbrk(help, "\"\\\n"));
		assert_true(++values[m->set] <= SERIES_VALUES);
		for (const struct metrics_row *other = metrics; other < m; other++)
			assert_string_not_equal(other->name, m->name);
	}
	assert_int_equal(values[SET_MACHINE], LEFT_OUT + 1);
}

static void labels_are_the_first_fields(void **state)
{
	static const char *const names[LABELS] = {
		[LABEL_KIND] = "kind",	     [LABEL_PLACE] = "place", [LABEL_WHAT] = "what",
		[LABEL_NAME] = "name",	     [LABEL_TYPE] = "type",   [LABEL_TAG] = "tag",
		[LABEL_WHERE] = "where",     [LABEL_ID] = "id",	      [LABEL_UNIT] = "holder_unit",
		[LABEL_VERSION] = "version",
	};

	for (unsigned l = 0; l < LABELS; l++)
		assert_string_equal(metrics_label_name(l), names[l]);
	assert_string_equal(metrics_schema.fields[LABELS].name, "metric");
}

static void seconds_are_exact(void **state)
{
	static const char *const label[LABELS] = { [LABEL_NAME] = "x" };
	struct series_limit l = { .room = 10 };
	struct series_set set[SETS];
	ARENA a = arena_new();
	struct out o;

	for (size_t i = 0; i < SETS; i++)
		series_init(&set[i], a);
	series_add(series_of(&set[SET_PROG], &l, label), &l, 0, 1000000007);
	series_add(series_of(&set[SET_PROG], &l, label), &l, 1, UINT64_MAX);
	out_init(&o, -1);
	metrics_text(&o, set, FORMAT_OPENMETRICS);
	assert_string_equal(out_cstr(&o),
			    "# HELP bpf_prog_run_seconds program: run time while the kernel counted it\n"
			    "# TYPE bpf_prog_run_seconds counter\n"
			    "# UNIT bpf_prog_run_seconds seconds\n"
			    "bpf_prog_run_seconds_total{name=\"x\"} 1.000000007\n"
			    "# HELP bpf_prog_runs program: runs while the kernel counted them\n"
			    "# TYPE bpf_prog_runs counter\n"
			    "bpf_prog_runs_total{name=\"x\"} 18446744073709551615\n"
			    "# EOF\n");
	out_close(&o, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_escaped),
		cmocka_unit_test(the_table_is_valid),
		cmocka_unit_test(labels_are_the_first_fields),
		cmocka_unit_test(seconds_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
