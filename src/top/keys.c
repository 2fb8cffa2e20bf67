/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/screen.h"

/* Appends a character as UTF-8; control characters and what does not fit are ignored. */
static void typed_add(char *text, size_t size, uint32_t c)
{
	const size_t n = strlen(text);
	char bytes[4];
	size_t more;

	if (c < ' ' || c >= 0x110000 || (c >= 0xd800 && c < 0xe000))
		return;
	more = str_utf8_put(bytes, c);
	if (n + more >= size)
		return;
	memcpy(text + n, bytes, more);
	text[n + more] = '\0';
}

static void typed_cut(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

static enum screen_act typed_key(struct screen *s, int key, enum screen_ask *ret_ask)
{
	switch (key) {
	case TERMINAL_ENTER:
		*ret_ask = s->ask;
		s->ask = ASK_NOTHING;
		return ACT_TYPED;
	case TERMINAL_ESCAPE:
		s->ask = ASK_NOTHING;
		return ACT_DRAW;
	case TERMINAL_BACKSPACE:
		typed_cut(s->typed);
		return ACT_DRAW;
	case 'U' - '@':
		*s->typed = '\0';
		return ACT_DRAW;
	default:
		typed_add(s->typed, sizeof(s->typed), key < 0 ? 0 : (uint32_t)key);
		return ACT_DRAW;
	}
}

static enum screen_act question(struct screen *s, enum screen_ask about)
{
	s->ask = about;
	*s->typed = '\0';
	return ACT_DRAW;
}

static enum screen_act mode_set(struct screen *s, enum screen_mode mode)
{
	s->mode = mode;
	s->first = s->rows = 0;
	return mode == SCREEN_HELP ? ACT_DRAW : ACT_READ;
}

static enum screen_act back(struct screen *s)
{
	return mode_set(s, s->mode == SCREEN_CODE ? SCREEN_PROG : SCREEN_PROGS);
}

/* By @by rows; in text, the lines move. */
static enum screen_act move(struct screen *s, int64_t by)
{
	const size_t last = s->rows ? s->rows - 1 : 0;
	size_t *at = s->mode == SCREEN_PROGS ? &s->at : &s->first;

	*at = by < 0		      ? *at - (*at < (size_t)-by ? *at : (size_t)-by) :
	      last - *at < (size_t)by ? last :
					*at + (size_t)by;
	s->id = 0;
	s->follows |= s->mode == SCREEN_PROGS;
	return ACT_DRAW;
}

static enum screen_act move_key(struct screen *s, int key)
{
	const int64_t page = s->page ? (int64_t)s->page : 1;

	switch (key) {
	case TERMINAL_UP:
		return move(s, -1);
	case TERMINAL_DOWN:
		return move(s, 1);
	case TERMINAL_PAGE_UP:
		return move(s, -page);
	case TERMINAL_PAGE_DOWN:
		return move(s, page);
	case TERMINAL_HOME:
		return move(s, -(int64_t)s->rows);
	case TERMINAL_LAST:
		return move(s, (int64_t)s->rows);
	default:
		return ACT_NOTHING;
	}
}

enum screen_act screen_key(struct screen *s, int key, enum screen_ask *ret_ask)
{
	enum screen_act act;

	*ret_ask = ASK_NOTHING;
	*s->message = '\0';
	if (key == TERMINAL_RESIZED)
		return ACT_DRAW;
	if (s->ask)
		return typed_key(s, key, ret_ask);
	if (s->mode == SCREEN_HELP) {
		act = move_key(s, key);
		return act == ACT_NOTHING ? mode_set(s, SCREEN_PROGS) : act;
	}
	switch (key) {
	case '/':
		return question(s, ASK_FILTER);
	case 's':
		return question(s, ASK_SORT);
	case 'o':
		return question(s, ASK_COLUMNS);
	case 'w':
		return question(s, ASK_FILE);
	case ' ':
		s->frozen = !s->frozen;
		return ACT_DRAW;
	case 'm':
		return mode_set(s, s->mode == SCREEN_MAPS ? SCREEN_PROGS : SCREEN_MAPS);
	case 'a':
		return s->mode == SCREEN_PROG ? mode_set(s, SCREEN_CODE) :
		       s->mode == SCREEN_CODE ? back(s) :
						ACT_NOTHING;
	case 'u':
		if (s->mode != SCREEN_MAPS)
			return ACT_NOTHING;
		s->counts = !s->counts;
		return ACT_READ;
	case 'e':
		return mode_set(s, s->mode == SCREEN_EVENTS ? SCREEN_PROGS : SCREEN_EVENTS);
	case TERMINAL_ENTER:
		return s->mode == SCREEN_PROGS && s->rows ? mode_set(s, SCREEN_PROG) : ACT_NOTHING;
	case TERMINAL_ESCAPE:
		return back(s);
	case '?':
		return mode_set(s, SCREEN_HELP);
	case '[':
		return ACT_BACK;
	case ']':
		return ACT_FORTH;
	case '{':
		return ACT_FAR_BACK;
	case '}':
		return ACT_FAR_FORTH;
	case 'q':
		return s->mode == SCREEN_PROGS ? ACT_QUIT : back(s);
	default:
		return move_key(s, key);
	}
}
