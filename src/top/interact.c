/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/interact.h"

#include "cli/env.h"
#include "gen/file.h"
#include "top/detail.h"

struct interact {
	struct top *t;
	struct replay *replay; /* NULL: the running kernel */
	struct terminal *terminal;
	struct screen screen;
	struct out lines, detail;
	struct detail what; /* the maps, or one program */
};

static struct picture picture_of(const struct interact *i)
{
	return (struct picture){
		.env = i->t->env,
		.history = &i->t->history,
		.rows = &i->t->rows,
		.head = i->t->head,
		.detail = &i->detail,
	};
}

static void draw(struct interact *i)
{
	const struct picture p = picture_of(i);
	unsigned columns, lines;

	terminal_size(i->terminal, &columns, &lines);
	i->lines.n = 0;
	screen_draw(&i->screen, &p, columns, lines, &i->lines);
	terminal_draw(i->terminal, i->lines.buf, i->lines.n);
}

static void message_set(struct interact *i, const struct err *why)
{
	str_fit(i->screen.message, sizeof(i->screen.message), "%s%s%s", why->msg, why->hint[0] ? ": " : "", why->hint);
}

static void detail_draw(struct interact *i)
{
	i->detail.n = 0;
	i->detail.columns = i->lines.columns;
	detail_read(&i->what, i->t, &i->screen, &i->detail);
}

static void words_split(struct interact *i, const char *text, struct arg_list *ret)
{
	struct arena *keep = i->t->env->keep;
	char *words = arena_str(keep, text, SIZE_MAX), *rest = words;
	const char **word = NULL;
	size_t n = 0, cap = 0;

	for (char *one = strtok_r(words, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
		ARENA_MORE(keep, word, n, cap);
		word[n++] = one;
	}
	*ret = (struct arg_list){ word, n };
}

/* An expression has an operator; anything else is words. */
static void filter_set(struct interact *i, const char *text, struct rows_wish *w)
{
	const bool is_expression = text[strcspn(text, "<>=!~&|")] != '\0';

	w->filter = is_expression ? text : NULL;
	w->words = (struct arg_list){ NULL, 0 };
	if (!is_expression)
		words_split(i, text, &w->words);
}

/* Without colours, as wide and high as the screen is. */
static int screen_save(struct interact *i, const char *path, struct err *e)
{
	const struct picture p = picture_of(i);
	unsigned columns, lines;
	struct out text;
	int err;

	terminal_size(i->terminal, &columns, &lines);
	out_init(&text, -1);
	screen_draw(&i->screen, &p, columns, lines, &text);
	err = gen_file_write(path, text.buf, text.n, e);
	out_close(&text, NULL);
	return err;
}

static int typed(struct interact *i, enum screen_ask about, struct err *e)
{
	struct rows *r = &i->t->rows;
	const char *text = arena_str(i->t->env->keep, i->screen.typed, SIZE_MAX);
	struct rows_wish w = r->wish;
	int err;

	if (about == ASK_FILE && *text) {
		err = screen_save(i, text, e);
		if (!err)
			str_fit(i->screen.message, sizeof(i->screen.message), "written to %s", text);
		return err;
	}
	if (about == ASK_FILTER)
		filter_set(i, text, &w);
	else if (about == ASK_SORT)
		w.sort = *text ? text : NULL;
	else if (about == ASK_COLUMNS)
		w.columns = *text ? text : NULL;
	err = rows_want(r, i->t->env, &w, e);
	if (!err)
		rows_choose(r, true);
	return err;
}

static int moment_show(struct interact *i, struct err *e)
{
	int err = replay_show(i->replay, e);

	if (err)
		return err;
	rows_choose(&i->t->rows, true);
	detail_draw(i);
	return 0;
}

static int time_move(struct interact *i, enum screen_act act, struct err *e)
{
	const int64_t ns = act == ACT_BACK     ? -1 :
			   act == ACT_FORTH    ? 1 :
			   act == ACT_FAR_BACK ? -60 * NSEC_PER_SEC :
						 60 * NSEC_PER_SEC;

	replay_move(i->replay, ns);
	return moment_show(i, e);
}

static int act_do(struct interact *i, enum screen_act act, enum screen_ask about, struct err *e)
{
	if (act == ACT_TYPED)
		return typed(i, about, e);
	if (act == ACT_READ)
		detail_draw(i);
	return act >= ACT_BACK && act <= ACT_FAR_FORTH && i->replay ? time_move(i, act, e) : 0;
}

/* False: the user ends it. */
static bool keys_take(struct interact *i)
{
	enum screen_ask about;
	int key;

	while ((key = terminal_key(i->terminal)) >= 0) {
		struct err why = { 0 };
		const enum screen_act act = screen_key(&i->screen, key, &about);

		if (act == ACT_QUIT)
			return false;
		if (act_do(i, act, about, &why))
			message_set(i, &why);
		err_clear(&why);
	}
	return key != TERMINAL_END;
}

static int round_read(struct interact *i, struct pace *pace, struct err *e)
{
	int err = top_read(i->t, pace_lap(pace), e);

	if (err)
		return err;
	rows_choose(&i->t->rows, true);
	detail_draw(i);
	return 0;
}

static int loop(struct interact *i, struct pace *pace, uint32_t count, struct err *e)
{
	uint32_t shown = 0;
	int err = i->replay ? moment_show(i, e) : round_read(i, pace, e);

	while (!err) {
		int got;

		draw(i);
		if (count && shown == count)
			break;
		got = pace_wait_for(pace, STDIN_FILENO);
		if (got < 0 || (got > 0 && !keys_take(i)))
			break;
		if (got || i->screen.frozen || i->replay)
			continue;
		err = round_read(i, pace, e);
		shown++;
	}
	return err;
}

int interact(struct top *t, struct replay *replay, struct pace *pace, uint32_t count, struct err *e)
{
	struct interact i = { .t = t, .replay = replay };
	const struct out *o = t->env->report->out;
	int err;

	if (!o->tty || !isatty(STDIN_FILENO)) {
		err_set(e, -ENOTSUP, "standard input and output are not a terminal, which the screen needs");
		return err_hint(e, "-b prints the same without a screen");
	}
	err = terminal_open(&i.terminal, e);
	if (err)
		return err;
	out_init(&i.lines, -1);
	out_init(&i.detail, -1);
	i.lines.tty = i.detail.tty = true;
	i.lines.color = i.detail.color = o->color;
	i.lines.palette = i.detail.palette = o->palette;
	err = loop(&i, pace, count, e);
	terminal_close(&i.terminal);
	detail_release(&i.what);
	out_close(&i.lines, NULL);
	out_close(&i.detail, NULL);
	return err;
}
