/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/terminal.h"

#ifdef WITH_CURSES

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <dlfcn.h>
#include <poll.h>
#include <term.h>
#undef lines
#undef columns

const bool terminal_built = true;

/* The functions of the library that are used. */
#define FUNCTIONS(X) \
	X(newterm) \
	X(delscreen) \
	X(endwin) \
	X(newwin) \
	X(delwin) \
	X(cbreak) \
	X(noecho) \
	X(nonl) \
	X(keypad) \
	X(nodelay) \
	X(curs_set) \
	X(set_escdelay) \
	X(start_color) \
	X(use_default_colors) \
	X(init_pair) \
	X(getmaxx) \
	X(getmaxy) \
	X(werase) \
	X(wmove) \
	X(waddnstr) \
	X(wattr_set) \
	X(wrefresh) \
	X(wget_wch) \
	X(tigetstr)
struct curses {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
};

#define PAIRS 64
struct terminal {
	struct curses c;
	SCREEN *screen;
	WINDOW *window;
	struct sgr { /* of text: what an SGR sequence sets */
		attr_t attr;
		short fg, bg; /* -1: the default */
	} pair[PAIRS];	      /* the colours of each pair of the library; 0 is the default */
	short npairs;
	bool has_colors;
};

#ifdef CURSES_LINKED
static int curses_load(struct terminal *t, struct err *e)
{
#define LINKED(f) t->c.f = f;
	FUNCTIONS(LINKED)
	return 0;
}
#else
static int curses_load(struct terminal *t, struct err *e)
{
	void *library = dlopen(WITH_CURSES, RTLD_NOW | RTLD_LOCAL);
	bool whole = true;

	if (!library) {
		err_set(e, -ENOTSUP, "the screen needs the library %s", WITH_CURSES);
		return err_hint(e, "install ncurses, or print the same with -b");
	}
#define LOADED(f) \
	t->c.f = (__typeof__(f) *)dlsym(library, #f); \
	whole &= t->c.f != NULL;
	FUNCTIONS(LOADED)
	if (whole)
		return 0;
	err_set(e, -ENOTSUP, "%s lacks functions that the screen needs", WITH_CURSES);
	return err_hint(e, "-b prints the same without a screen");
}
#endif

static int screen_open(struct terminal *t, struct err *e)
{
	const char *term = getenv("TERM"), *move;

	t->screen = t->c.newterm(NULL, stdout, stdin);
	move = t->screen ? t->c.tigetstr("cup") : NULL;
	t->window = move && move != (char *)-1 ? t->c.newwin(0, 0, 0, 0) : NULL;
	if (t->window)
		return 0;
	if (t->screen)
		t->c.endwin();
	err_set(e, -ENOTSUP, "the terminal '%.60s' cannot show a screen", term ? term : "");
	return err_hint(e, "set TERM to the name of the terminal, or print the same with -b");
}

int terminal_open(struct terminal **ret, struct err *e)
{
	struct terminal *t = array_resize(NULL, 1, sizeof(*t));
	int err;

	*t = (struct terminal){ .npairs = 1, .pair[0] = { 0, -1, -1 } };
	err = curses_load(t, e);
	if (!err)
		err = screen_open(t, e);
	*ret = t;
	if (err) {
		terminal_close(ret);
		return err;
	}
	t->c.cbreak();
	t->c.noecho();
	t->c.nonl();
	t->c.keypad(t->window, TRUE);
	t->c.nodelay(t->window, TRUE);
	t->c.set_escdelay(25);
	t->c.curs_set(0);
	t->has_colors = t->c.start_color() == OK && t->c.use_default_colors() == OK;
	return 0;
}

/* The library stays loaded: its handlers of signals remain. */
void terminal_close(struct terminal **t)
{
	struct terminal *one = *t;

	if (!one)
		return;
	if (one->window) {
		one->c.delwin(one->window);
		one->c.endwin();
	}
	if (one->screen)
		one->c.delscreen(one->screen);
	free(one);
	*t = NULL;
}

void terminal_size(const struct terminal *t, unsigned *ret_columns, unsigned *ret_lines)
{
	const int columns = t->c.getmaxx(t->window), lines = t->c.getmaxy(t->window);

	*ret_columns = columns > 0 ? (unsigned)columns : 1;
	*ret_lines = lines > 0 ? (unsigned)lines : 1;
}

/* The next number of an SGR sequence. -1: there is none. */
static int sgr_number(const char **p)
{
	char *end;
	const long n = strtol(*p, &end, 10);

	if (end == *p && **p != ';')
		return -1;
	*p = end + (*end == ';');
	return n < 0 || n > 255 ? 0 : (int)n;
}

/* 38;5;N and 48;5;N: one of 256. */
static short sgr_color(const char **p)
{
	return sgr_number(p) == 5 ? (short)sgr_number(p) : -1;
}

static struct sgr sgr_parse(struct sgr l, const char *p)
{
	static const attr_t attrs[] = { A_NORMAL, A_BOLD, A_DIM, A_NORMAL, A_UNDERLINE, A_BLINK, A_NORMAL, A_REVERSE };

	for (int n = *p == 'm' ? 0 : sgr_number(&p); n >= 0; n = sgr_number(&p)) {
		if (!n)
			l = (struct sgr){ 0, -1, -1 };
		else if ((size_t)n < ARRAY_SIZE(attrs))
			l.attr |= attrs[n];
		else if (n == 38)
			l.fg = sgr_color(&p);
		else if (n == 48)
			l.bg = sgr_color(&p);
		else if (n >= 30 && n <= 37)
			l.fg = (short)(n - 30);
		else if (n >= 40 && n <= 47)
			l.bg = (short)(n - 40);
		else if (n >= 90 && n <= 97)
			l.fg = (short)(n - 90 + 8);
	}
	return l;
}

static void look_set(struct terminal *t, const struct sgr *l)
{
	short i = 0;

	while (i < t->npairs && (t->pair[i].fg != l->fg || t->pair[i].bg != l->bg))
		i++;
	if (i == t->npairs && (!t->has_colors || i == PAIRS || t->c.init_pair(i, l->fg, l->bg) == ERR))
		i = 0;
	if (i == t->npairs)
		t->pair[t->npairs++] = *l;
	t->c.wattr_set(t->window, l->attr, i, NULL);
}

/* Writing beyond the edge would go on in the next line: the caller fits lines, and the library cuts the last one. */
static void line_draw(struct terminal *t, const char *p, const char *end)
{
	struct sgr l = t->pair[0];

	while (p < end) {
		const char *esc = memchr(p, '\033', (size_t)(end - p)), *to = esc ? esc : end;

		t->c.waddnstr(t->window, p, (int)(to - p));
		p = to;
		if (!esc)
			break;
		to = memchr(esc, 'm', (size_t)(end - esc));
		if (!to)
			break;
		l = sgr_parse(l, esc + 2);
		look_set(t, &l);
		p = to + 1;
	}
	look_set(t, &t->pair[0]);
}

void terminal_draw(struct terminal *t, const char *text, size_t n)
{
	const char *p = text, *end = text + n;
	const int lines = t->c.getmaxy(t->window);

	t->c.werase(t->window);
	for (int y = 0; p < end && y < lines; y++) {
		const char *to = memchr(p, '\n', (size_t)(end - p));

		to = to ? to : end;
		t->c.wmove(t->window, y, 0);
		line_draw(t, p, to);
		p = to + 1;
	}
	t->c.wrefresh(t->window);
}

static const struct {
	wint_t code;
	int key;
} codes[] = {
	{ KEY_UP, TERMINAL_UP },	   { KEY_DOWN, TERMINAL_DOWN },		  { KEY_PPAGE, TERMINAL_PAGE_UP },
	{ KEY_NPAGE, TERMINAL_PAGE_DOWN }, { KEY_HOME, TERMINAL_HOME },		  { KEY_END, TERMINAL_LAST },
	{ KEY_RESIZE, TERMINAL_RESIZED },  { KEY_BACKSPACE, TERMINAL_BACKSPACE }, { KEY_ENTER, TERMINAL_ENTER },
};

static int key_none(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL) ? TERMINAL_END : TERMINAL_NONE;
}

int terminal_key(struct terminal *t)
{
	wint_t c;
	const int got = t->c.wget_wch(t->window, &c);

	if (got == ERR)
		return key_none();
	if (got != KEY_CODE_YES)
		return c == '\r' ? TERMINAL_ENTER : c == '\b' ? TERMINAL_BACKSPACE : (int)c;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == c)
			return codes[i].key;
	return TERMINAL_NONE;
}

#else

const bool terminal_built = false;

int terminal_open(struct terminal **ret, struct err *e)
{
	err_set(e, -ENOTSUP, "this program was built without a screen");
	return err_hint(e,
			"print the same with -b, or install libncurses-dev (ncurses-devel, ncurses) and build again");
}

void terminal_close(struct terminal **t)
{
}

void terminal_size(const struct terminal *t, unsigned *ret_columns, unsigned *ret_lines)
{
	*ret_columns = *ret_lines = 1;
}

void terminal_draw(struct terminal *t, const char *text, size_t n)
{
}

int terminal_key(struct terminal *t)
{
	return TERMINAL_END;
}

#endif
