/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "source/elems.h"

static bool cursor_ok(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(p[i] >= '0' && p[i] <= '9') && !(p[i] >= 'a' && p[i] <= 'z') && p[i] != '.')
			return false;
	return true;
}

int elems_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t key_size, uint32_t value_size,
	      struct elems *ret)
{
	struct elems_head h;
	struct blob b;
	uint64_t stride = sizeof(int32_t) + (uint64_t)key_size + value_size;
	int err = ask(m, a, &b, Q_MAP_ELEMS, map_id, .text = *ret->cursor ? ret->cursor : "start");

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
	/* A cursor that does not advance would never end. */
	if (h.next_len && h.next_len == strlen(ret->cursor) && !memcmp(ret->cursor, b.p, h.next_len))
		return -EBADMSG;
	ret->head = h;
	ret->elems = b.p + h.next_len;
	ret->stride = (size_t)stride;
	memcpy(ret->cursor, b.p, h.next_len);
	ret->cursor[h.next_len] = '\0';
	return 0;
}
