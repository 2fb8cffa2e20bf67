/* SPDX-License-Identifier: BSD-2-Clause */
#include "../sample.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base.h"
#include "record/filter.h"

static uint32_t ids[] = { 5, 6 };
static struct sample_row holders[] = { { 17, 0, "bpftool" }, { 18, 0, "agent" } };
static const struct sample rec = {
	.id = 7,
	.type = 1,
	.name = "drop_syn",
	.tag = { 0xab },
	.info_len = 4,
	.info.flags = 0x480,
	.gpl = true,
	.size = 2048,
	.count = 5000,
	.prio = -300,
	.share = -2.5,
	.ids = ids,
	.n_ids = 2,
	.pids = holders,
	.n_pids = 2,
	.kind = 1,
	.part_map = 9,
	.path = "/a \"b\"\\c",
};

static int parse(const char *text, unsigned *need, bool *ret)
{
	ARENA a = arena_new();
	struct filter *f = NULL;
	struct err e = { 0 };
	struct filter_uses uses = { 0 };
	int err = filter_parse(&f, &sample_schema, sample_parts, text, &uses, a, &e);

	if (need && !err)
		*need = uses.need;

	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_int_equal(err_exit_status(&e), EXIT_USAGE);
		assert_true(e.msg[0]);
		assert_null(f);
	} else {
		assert_int_equal(e.code, 0);
		*ret = filter_match(f, &sample_schema, &rec, 0);
	}
	return err;
}

static void matches(void **state)
{
	/* clang-format off */
	static const struct { const char *text; bool want; } rows[] = {
		{ "type == \"xdp\"", 1 }, { "type==xdp", 1 }, { "type != xdp", 0 }, { "type == 1", 1 }, { "type =~ ^x", 1 },
		{ "type == 'tc'", 0 }, { "type < y", 1 }, { "type = xdp", 1 }, { "type=tc", 0 },
		{ "run_cnt > 1K", 1 }, { "run_cnt > 5K", 0 }, { "run_cnt <= 5000", 1 }, { "bytes == 2K", 1 }, { "bytes == 2.0K", 1 }, { "bytes != 2K", 0 }, { "bytes == 2KB", 1 }, { "bytes < 2049B", 1 },
		{ "run_cnt == 4.8K", 0 }, { "share == -2.50", 1 }, { "bytes==0x800", 1 },
		{ "prio < 0", 1 }, { "prio == -300", 1 }, { "prio > -301", 1 }, { "prio >= -299", 0 }, { "id > -1", 1 },
		{ "share == -2.5", 1 }, { "share < -2", 1 }, { "share > -25e-1", 0 }, { "share < 1K", 1 }, { "share =~ 2.5$", 1 },
		{ "id == -7", 0 }, { "id == -0", 0 },
		{ "gpl_compatible", 1 }, { "!gpl_compatible", 0 }, { "gpl_compatible == true", 1 }, { "jited == no", 1 },
		{ "jited != true", 1 }, { "name =~ \"^drop_\"", 1 }, { "name =~ \"syn$\" && name =~ drop", 1 },
		{ "name == drop_syn", 1 }, { "name >= drop", 1 }, { "tag == ab00000000000000", 1 }, { "tag =~ ^ab0+$", 1 },
		{ "map_ids == 6", 1 }, { "map_ids == 7", 0 }, { "map_ids != 6", 1 }, { "map_ids > 5", 1 },
		{ "pids == agent", 1 }, { "pids == \"bpftool(17)\"", 1 }, { "pids =~ ^bpf", 1 }, { "pids == 18", 1 },
		{ "pids == none", 0 }, { "pids != agent", 1 },
		{ "later == 0", 0 }, { "later != 0", 0 }, { "!(later == 0)", 1 }, { "loaded_at", 0 }, { "loaded_at != 3", 0 },
		{ "later == null", 1 }, { "later != null", 0 }, { "id == null", 0 }, { "id != null", 1 }, { "pinned == null", 1 },
		{ "map_ids == null", 0 }, { "gpl_compatible != null", 1 },
		{ "map_id == 9", 1 }, { "pinned", 0 }, { "pinned == x", 0 }, { "funcs", 0 },
		{ "type == tc || type == xdp && id == 7", 1 }, { "(type == tc || type == xdp) && id == 8", 0 },
		{ "type == xdp || id == 8 && id == 9", 1 }, { "! ! id", 1 }, { " ( ( id ) ) ", 1 },
		{ "path == \"/a \\\"b\\\"\\\\c\"", 1 }, { "path == '/a \"b\"\\c'", 1 }, { "path =~ \"b\\\"\"", 1 },
		{ "path =~ '^/a.*c$'", 1 }, { "path =~ '[^[:space:]]+c'", 1 }, { "name =~ '(dr|x)op_{1,3}s'", 1 },
		{ "name =~ '^(drop_|x*|)?((s?y|n*z)*n)+$'", 1 },
	};
	/* clang-format on */
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool got = !rows[i].want;

		if (parse(rows[i].text, NULL, &got) || got != rows[i].want)
			fail_msg("%s", rows[i].text);
	}
}

static void refuses(void **state)
{
	static const char *const rows[] = {
		"",
		" ",
		"&&",
		"id &&",
		"id == ",
		"id == 5 6",
		"(id",
		"id)",
		"id == x",
		"id == 1Q",
		"id == 99999999999999999999",
		"nmae == x",
		"name == \"open",
		"name == 'open",
		"jited == 7",
		"jited > true",
		"pids > a",
		"name =~ '('",
		"name =~ '[a'",
		"id == ==",
		"5 == id",
		"!",
		"()",
		"id | id",
		"id & id",
		"id == -",
		"name =~ 'a{99999}'",
		"map_ids == x",
	};
	size_t i;
	bool got;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!parse(rows[i], NULL, &got))
			fail_msg("accepted: %s", rows[i]);
}

static void limits(void **state)
{
	STR s = { 0 };
	bool got = true;
	int i;

	(void)state;
	for (i = 0; i < 63; i++)
		str_puts(&s, i % 2 ? "!" : "(");
	str_puts(&s, "id");
	for (i = 0; i < 32; i++)
		str_puts(&s, ")");
	assert_int_equal(parse(s.p, NULL, &got), 0);
	assert_false(got);
	str_reset(&s);
	for (i = 0; i < 64; i++)
		str_puts(&s, "!");
	str_puts(&s, "id");
	assert_int_equal(parse(s.p, NULL, &got), -EINVAL);
	str_reset(&s);
	str_puts(&s, "id");
	while (s.n + 6 <= 4096)
		str_puts(&s, "&&  id");
	while (s.n < 4096)
		str_puts(&s, " ");
	assert_int_equal(parse(s.p, NULL, &got), 0);
	assert_true(got);
	str_puts(&s, " ");
	assert_int_equal(parse(s.p, NULL, &got), -EINVAL);
}

static void garbage_is_refused_not_fatal(void **state)
{
	static const char *const words[] = {
		"id",	"type", "pids", "==",	   "=~", "(",	 ")", "!",    "&&", "||",  "5",
		"'a*'", "\"",	"-3",	"map_ids", "<",	 "name", " ", "\xff", "[",  "{3}", "1K",
	};
	unsigned i, k;
	bool got;

	(void)state;
	srandom(11);
	for (i = 0; i < 20000; i++) {
		STR s = { 0 };

		str_puts(&s, "");
		for (k = (unsigned)random() % 9; k; k--)
			str_puts(&s, words[(size_t)random() % ARRAY_SIZE(words)]);
		parse(s.p, NULL, &got);
	}
}

static void reports_what_it_needs(void **state)
{
	unsigned need = 77;
	bool got;

	(void)state;
	assert_int_equal(parse("id == 1 || port == 3", &need, &got), 0);
	assert_int_equal(need, NEED_FDINFO);
	assert_int_equal(parse("id == 1", &need, &got), 0);
	assert_int_equal(need, 0);
}

static void near_columns_are_named(void **state)
{
	ARENA a = arena_new();
	struct filter *f = NULL;
	struct err e = { 0 };

	(void)state;
	filter_parse(&f, &sample_schema, sample_parts, "nmae == x", NULL, a, &e);
	assert_string_equal(e.msg, "sample has no column 'nmae'; similar: name");
	assert_string_equal(e.hint, "--list-columns shows all columns");
	err_clear(&e);
	filter_parse(&f, &sample_schema, sample_parts, "map == x", NULL, a, &e);
	assert_string_equal(e.msg, "sample has no column 'map'; similar: map_id, map_ids");
	err_clear(&e);
	filter_parse(&f, &sample_schema, NULL, "map_id == 3", NULL, a, &e);
	assert_string_equal(e.msg, "sample has no column 'map_id'; similar: map_ids");
	err_clear(&e);
	filter_parse(&f, &sample_schema, NULL, "zzzzzz", NULL, a, &e);
	assert_string_equal(e.msg, "sample has no column 'zzzzzz'");
}

static void times(void **state)
{
	static const struct {
		const char *text;
		int want;
		bool now;
	} rows[] = {
		{ "loaded_at > 2026-11-20", 1 },
		{ "loaded_at < 2026-11-20", 0 },
		{ "loaded_at < '2026-11-22T00:00'", 1 },
		{ "loaded_at == '2026-11-21T10:33:25+0000'", 1 },
		{ "loaded_at == '2026-11-21T12:33:25+0200'", 1 },
		{ "loaded_at == '2026-11-21T10:33:25'", 1 },
		{ "loaded_at == 1795257205", 1 },
		{ "loaded_at > 1G", -1 },
		{ "loaded_at == 2026-11-21T10:33", 1 },
		{ "loaded_at == 2026-11-21 10:33 && id == 1", 1 },
		{ "loaded_at != 2026-11-21T10:33", 0 },
		{ "loaded_at == 2026-11-21", 1 },
		{ "loaded_at == 2026-11-21 10:34", 0 },
		{ "loaded_at > yesterday", 1, true },
		{ "loaded_at == 10m ago", 1, true },
		{ "loaded_at == 11m ago || id == 2", 0, true },
		{ "(loaded_at < 9m ago)", 1, true },
		{ "loaded_at == 10:33", 1, true },
		{ "loaded_at > 2026-13-01", -1 },
		{ "loaded_at > 1901-01-01", -1 },
		{ "loaded_at > '2026-11-20 '", -1 },
		{ "loaded_at > -2026-11-20", -1 },
		{ "loaded_at > -11m", 1 },
		{ "loaded_at > -9m", 0 },
		{ "loaded_at == -10m", 1 },
		{ "loaded_at < -599s", 1 },
		{ "loaded_at > -1h30m", 1 },
		{ "loaded_at > -100w", 1 },
		{ "loaded_at > -99999999w", 1 },
		{ "!(loaded_at < -1d)", 1 },
		{ "loaded_at > -5", -1 },
		{ "loaded_at > -5y", -1 },
		{ "loaded_at > -", -1 },
		{ "loaded_at > --5m", -1 },
		{ "loaded_at > -99999999999999999999w", 1 },
		{ "loaded_at > 5m", -1 },
	};
	const struct sample timed = { .id = 1, .time = 1795257205, .has_time = AVAIL_YES };
	size_t i;

	(void)state;
	setenv("TZ", "UTC", 1);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ARENA a = arena_new();
		struct filter *f = NULL;
		struct err e = { 0 };
		struct filter_uses uses = { 0 };

		if (filter_parse(&f, &sample_schema, sample_parts, rows[i].text, &uses, a, &e))
			assert_int_equal(rows[i].want, -1);
		else if (!(uses.need & NEED_NOW) != !(rows[i].now || strstr(rows[i].text, " -")))
			fail_msg("%s: need %x", rows[i].text, uses.need);
		else if (rows[i].want != filter_match(f, &sample_schema, &timed, 1795257205 + 600))
			fail_msg("%s", rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
		cmocka_unit_test(times),
		cmocka_unit_test(refuses),
		cmocka_unit_test(limits),
		cmocka_unit_test(garbage_is_refused_not_fatal),
		cmocka_unit_test(reports_what_it_needs),
		cmocka_unit_test(near_columns_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
