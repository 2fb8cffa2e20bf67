/* SPDX-License-Identifier: BSD-2-Clause */

#include "source/elems.h"
#include "source/live/live.h"

/* The same walk as for a dump, so that it handles changes equally well; the elements are dropped. */
int live_count(struct live *l)
{
	ARENA a = arena_new();
	char cursor[ELEMS_CURSOR_MAX + 1] = "start";
	const struct asked elems = { Q_MAP_ELEMS, l->asked->id, .text = cursor };
	uint64_t n = 0;

	l->asked = &elems;
	while (*cursor) {
		ARENA_SCOPE(a);
		struct elems_head head;
		const unsigned char *p;
		struct blob b;
		int err = live_elems(l, a, &b);

		if (err)
			return err;
		memcpy(&head, b.p, sizeof(head));
		memcpy(cursor, b.p + sizeof(head), head.next_len);
		cursor[head.next_len] = '\0';
		p = b.p + sizeof(head) + head.next_len;
		for (uint32_t i = 0; i < head.count; i++, p += sizeof(int32_t) + head.key_size + head.value_size)
			n += !elems_err(p);
	}
	str_fmt(&l->text, "%llu\n", llu(n));
	return 0;
}
