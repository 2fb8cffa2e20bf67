/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include "render/text.h"
#include "top/screen.h"

#define PROGRAMS 100

struct stage {
	struct lab lab;
	struct history history;
	struct rows rows;
	struct screen screen;
	struct out out;
	const struct out *detail;
};

/* A round: program I has run I * 1000 times for I % 10 ms more than in the last one. */
static void round_add(struct stage *s, unsigned round)
{
	struct stats_look *l = history_begin(&s->history);

	for (unsigned i = 0; i < PROGRAMS; i++)
		stats_add(l, &(const struct stats_seen){
				     .id = i + 1,
				     .load_time = 1,
				     .run_cnt = round * i * 1000,
				     .run_time_ns = (uint64_t)round * (i % 10) * NSEC_PER_MSEC,
				     .type = i % 2 ? "xdp" : "kprobe",
				     .name = i == 9  ? "bad\033[2Jname\n_that_is_longer_than_its_column" :
					     i == 10 ? NULL :
						       arena_fmt(s->lab.env.keep, "prog_%u", i),
			     });
	rows_update(&s->rows, &s->history, NSEC_PER_SEC, "2026-11-26T12:34:56.000Z");
}

static void stage_begin(struct stage *s)
{
	const struct rows_wish wish = { NULL };

	memset(s, 0, sizeof(*s));
	lab_start(&s->lab, (struct globals){ .from = "x" }, lab_answers);
	history_init(&s->history);
	rows_init(&s->rows);
	out_init(&s->out, -1);
	assert_int_equal(rows_want(&s->rows, &s->lab.env, &wish, &s->lab.e), 0);
	for (unsigned round = 1; round < 4; round++)
		round_add(s, round);
	history_find(&s->history, 10)->where = strdup("eth0 xdp");
	history_find(&s->history, 10)->has_where = AVAIL_YES;
	history_find(&s->history, 10)->learnt = true;
	rows_choose(&s->rows, true);
}

static void stage_end(struct stage *s)
{
	out_close(&s->out, NULL);
	history_release(&s->history);
	rows_release(&s->rows);
	lab_end(&s->lab);
}

static const char *draw(struct stage *s, unsigned columns, unsigned lines)
{
	const struct picture p = {
		.env = &s->lab.env,
		.history = &s->history,
		.rows = &s->rows,
		.head = { .time = "2026-11-26T12:34:56.000Z", .lapse_ns = NSEC_PER_SEC, .cpus = 2, .busy_percent = 50 },
		.detail = s->detail,
	};

	s->out.n = 0;
	screen_draw(&s->screen, &p, columns, lines, &s->out);
	return out_cstr(&s->out);
}

/* As many lines as the terminal has, none wider, and nothing that drives it but colours. */
static void check_fits(const char *text, unsigned columns, unsigned lines, bool plain)
{
	unsigned n = 0;

	for (const char *p = text; *p; n++) {
		const char *end = strchr(p, '\n');

		assert_non_null(end);
		assert_true(render_width(p, (size_t)(end - p)) <= columns);
		p = end + 1;
	}
	assert_int_equal(n, lines);
	assert_null(strstr(text, "\033[2J"));
	if (plain)
		assert_null(strchr(text, '\033'));
}

static void sizes(void **state)
{
	static const unsigned size[][2] = { { 60, 15 }, { 80, 24 }, { 200, 50 }, { 1, 1 },	{ 3, 2 },
					    { 10, 4 },	{ 40, 5 },  { 20, 6 },	 { 1000, 1000 } };
	struct stage s;

	(void)state;
	stage_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(size); i++)
		for (enum screen_mode m = SCREEN_PROGS; m <= SCREEN_HELP; m++)
			for (int color = false; color <= true; color++) {
				s.screen.mode = m;
				s.out.color = s.out.tty = color;
				check_fits(draw(&s, size[i][0], size[i][1]), size[i][0], size[i][1], !color);
			}
	stage_end(&s);
}

static void list(void **state)
{
	struct stage s;
	const char *text;

	(void)state;
	stage_begin(&s);
	text = draw(&s, 100, 12);
	assert_non_null(strstr(text,
			       "BPF 45.00% of one CPU, 22.50% of 2; machine 50%  12:34:56 UTC\n"
			       "100 programs, 1 idle, 0 new, 0 gone\n"));
	assert_non_null(strstr(text, "at most 45.00%\n"));
	assert_non_null(strstr(text, "\n10  0.90    9000"));
	assert_non_null(strstr(text, "eth0 xdp"));
	assert_non_null(strstr(text, "q quit  ? help  / filter"));
	/* The one that did not run is last, whatever the order is. */
	s.screen.at = PROGRAMS - 1;
	assert_non_null(strstr(draw(&s, 100, 12), " 1  0.00    0.00"));
	assert_int_equal(s.screen.shown, 1);
	stage_end(&s);
}

/* The selection follows its program through another order, and stays on the screen. */
static void selection(void **state)
{
	const struct rows_wish by_id = { .sort = "id" };
	struct stage s;

	(void)state;
	stage_begin(&s);
	s.screen.follows = true;
	s.screen.at = 50;
	draw(&s, 80, 24);
	assert_int_equal(s.screen.id, s.rows.row[50]->s.id);
	assert_true(s.screen.first + s.screen.page > 50 && s.screen.first <= 50);
	assert_int_equal(rows_want(&s.rows, &s.lab.env, &by_id, &s.lab.e), 0);
	rows_choose(&s.rows, true);
	draw(&s, 80, 24);
	assert_int_equal(s.rows.row[s.screen.at]->s.id, s.screen.id);
	/* It is reversed on a terminal only. */
	assert_null(strstr(draw(&s, 80, 24), "\033[7m"));
	s.out.tty = true;
	assert_non_null(strstr(draw(&s, 80, 24), "\033[7m"));
	stage_end(&s);
}

static void last_line(void **state)
{
	struct stage s;

	(void)state;
	stage_begin(&s);
	s.screen.ask = ASK_FILTER;
	strcpy(s.screen.typed, "x\033y");
	assert_non_null(strstr(draw(&s, 80, 24), "\nfilter: x\\x1by_"));
	s.screen.ask = ASK_NOTHING;
	strcpy(s.screen.message, "no column 'x'");
	assert_non_null(strstr(draw(&s, 80, 24), "\nno column 'x'"));
	*s.screen.message = '\0';
	s.screen.frozen = true;
	assert_non_null(strstr(draw(&s, 80, 24), "\nfrozen q quit"));
	stage_end(&s);
}

/* @want: ids of the first rows, ended by 0. */
static void check_words(struct stage *s, const char *const *words, size_t n, size_t want)
{
	const struct rows_wish wish = { .words = { words, n } };

	assert_int_equal(rows_want(&s->rows, &s->lab.env, &wish, &s->lab.e), 0);
	rows_choose(&s->rows, true);
	assert_int_equal(s->rows.n, want);
}

static void words(void **state)
{
	struct stage s;

	(void)state;
	stage_begin(&s);
	check_words(&s, (const char *[]){ "prog_1" }, 1, 1);
	check_words(&s, (const char *[]){ "rog_1" }, 1, 10); /* without 10, which has no name */
	check_words(&s, (const char *[]){ "7" }, 1, 1);
	check_words(&s, (const char *[]){ "xdp" }, 1, 50);
	check_words(&s, (const char *[]){ "prog_1", "prog_2" }, 2, 2);
	check_words(&s, (const char *[]){ "prog_1", "prog_2", "xdp" }, 3, 1);
	check_words(&s, (const char *[]){ "eth0" }, 1, 1);
	check_words(&s, (const char *[]){ "nothing" }, 1, 0);
	check_words(&s, (const char *[]){ "nothing", "prog_1" }, 2, 1);
	stage_end(&s);
}

/* The newest events are shown as they come, below the headings, unless the user looks at others. */
static void events(void **state)
{
	enum screen_ask about;
	struct stage s;
	struct out text;

	(void)state;
	stage_begin(&s);
	out_init(&text, -1);
	s.detail = &text;
	screen_key(&s.screen, 'e', &about);
	out_str(&text, "TITLE\n");
	for (int i = 0; i < 100; i++)
		out_fmt(&text, "event %d\n", i);
	assert_non_null(strstr(draw(&s, 80, 10), "%\nTITLE\nevent 95\n"));
	out_str(&text, "event 100\n");
	assert_non_null(strstr(draw(&s, 80, 10), "event 100\nq back"));
	assert_non_null(strstr(draw(&s, 80, 24), "TITLE\nevent 82\n"));
	screen_key(&s.screen, TERMINAL_UP, &about);
	assert_non_null(strstr(draw(&s, 80, 24), "TITLE\nevent 81\n"));
	out_str(&text, "event 101\n");
	assert_non_null(strstr(draw(&s, 80, 24), "TITLE\nevent 81\n"));
	screen_key(&s.screen, TERMINAL_LAST, &about);
	assert_non_null(strstr(draw(&s, 80, 24), "event 101\nq back"));
	for (unsigned lines = 1; lines < 8; lines++)
		check_fits(draw(&s, 20, lines), 20, lines, true);
	out_close(&text, NULL);
	stage_end(&s);
}

static void refused(void **state)
{
	const struct rows_wish wish = { .columns = "id,nonsense" }, more = { .columns = "+type" };
	struct stage s;

	(void)state;
	stage_begin(&s);
	assert_int_equal(rows_want(&s.rows, &s.lab.env, &wish, &s.lab.e), -EINVAL);
	assert_null(s.rows.wish.columns);
	err_clear(&s.lab.e);
	assert_int_equal(rows_want(&s.rows, &s.lab.env, &more, &s.lab.e), 0);
	rows_choose(&s.rows, true);
	assert_non_null(strstr(draw(&s, 200, 24), "OWNER  TYPE"));
	stage_end(&s);
}

static void spark(void **state)
{
	ARENA a = arena_new();
	struct history_ring h = { 0 };

	(void)state;
	setenv("LC_ALL", "C", 1);
	assert_string_equal(rows_spark(&h, 5, a), "     ");
	history_ring_add(&h, (struct history_point){ 8, 0 });
	assert_string_equal(rows_spark(&h, HISTORY_POINTS, a) + HISTORY_POINTS - 2, " @");
	for (int i = 1; i < HISTORY_POINTS; i++)
		history_ring_add(&h, (struct history_point){ i < 55 ? 0 : 0.01f, 0 });
	assert_string_equal(rows_spark(&h, 10, a), "@        .");
	assert_string_equal(rows_spark(&h, 1, a), "@");
	setenv("LC_ALL", "C.UTF-8", 1);
	assert_string_equal(rows_spark(&h, 10, a), "█        ▁");
	unsetenv("LC_ALL");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sizes),	 cmocka_unit_test(list),
					    cmocka_unit_test(selection), cmocka_unit_test(last_line),
					    cmocka_unit_test(words),	 cmocka_unit_test(refused),
					    cmocka_unit_test(spark),	 cmocka_unit_test(events) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
