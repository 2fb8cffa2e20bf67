/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/elems.h"

#define START "start"

static bool cursor_ok(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(p[i] >= '0' && p[i] <= '9') && !(p[i] >= 'a' && p[i] <= 'z') && p[i] != '.')
			return false;
	return true;
}

static bool is_cursor(const char *cursor, const unsigned char *p, size_t n)
{
	return n == strlen(cursor) && !memcmp(cursor, p, n);
}

static bool is_start(const char *cursor)
{
	return !*cursor || !strcmp(cursor, START);
}

/* A circle of cursors would never end. When the mark is in it, and is kept for as many batches, it comes again. */
static bool advances(struct elems *e, const unsigned char *next, size_t n)
{
	if (is_start(e->cursor)) {
		e->steps = 0;
		e->mark[0] = '\0';
	}
	if (n && (is_cursor(START, next, n) || is_cursor(e->cursor, next, n) || is_cursor(e->mark, next, n)))
		return false;
	e->steps++;
	if (!(e->steps & (e->steps - 1))) {
		memcpy(e->mark, next, n);
		e->mark[n] = '\0';
	}
	return true;
}

int elems_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t key_size, uint32_t value_size,
	      struct elems *ret)
{
	struct elems_head h;
	struct blob b;
	uint64_t stride = sizeof(int32_t) + (uint64_t)key_size + value_size;
	int err = ask(m, a, &b, Q_MAP_ELEMS, map_id, .text = *ret->cursor ? ret->cursor : START);

	if (err)
		return err;
	if (b.n < sizeof(h))
		return -EBADMSG;
	memcpy(&h, b.p, sizeof(h));
	b.p += sizeof(h);
	b.n -= sizeof(h);
	if (h.key_size != key_size || h.value_size != value_size || h.next_len > ELEMS_CURSOR_MAX || h.next_len > b.n ||
	    !cursor_ok(b.p, h.next_len) || stride * h.count != b.n - h.next_len || (h.next_len && !h.count))
		return -EBADMSG;
	if (!advances(ret, b.p, h.next_len))
		return -EBADMSG;
	ret->head = h;
	ret->elems = b.p + h.next_len;
	ret->stride = (size_t)stride;
	memcpy(ret->cursor, b.p, h.next_len);
	ret->cursor[h.next_len] = '\0';
	return 0;
}
