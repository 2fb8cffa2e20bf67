/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
#include "source/elems.h"
#include "source/live/live.h"

/* The same walk as for a dump, so that it handles changes equally well; the elements are dropped. */
int live_count(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	char cursor[ELEMS_CURSOR_MAX + 1] = "start";
	uint64_t n = 0;

	while (*cursor) {
		ARENA_SCOPE(a);
		struct elems_head head;
		const unsigned char *p;
		struct blob b;
		int err = live_elems(l, o, &(const struct asked){ Q_MAP_ELEMS, q->id, .text = cursor }, a, &b);

		if (err)
			return err;
		memcpy(&head, b.p, sizeof(head));
		memcpy(cursor, b.p + sizeof(head), head.next_len);
		cursor[head.next_len] = '\0';
		p = b.p + sizeof(head) + head.next_len;
		for (uint32_t i = 0; i < head.count; i++, p += sizeof(int32_t) + head.key_size + head.value_size)
			n += !elems_err(p);
	}
	ret->p = (const unsigned char *)arena_fmt(a, "%llu\n", (unsigned long long)n);
	ret->n = strlen((const char *)ret->p);
	return 0;
}
