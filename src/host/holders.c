/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "host/holders.h"
#include "host/holders_fdinfo.h"

int holders_collect(struct own *own, struct str *ret, const char **ret_way, int *ret_why, struct err *e)
{
	int why = holders_by_iterator(own, ret), err;

	if (!why) {
		*ret_way = "iterator";
		*ret_why = 0;
		return 0;
	}
	err = holders_by_fdinfo(ret);
	if (err)
		return err_sys(e, err, "cannot find out which processes hold BPF objects");
	*ret_way = "fdinfo";
	*ret_why = why;
	return 0;
}

struct entry {
	uint64_t object;		/* kind << 32 | id */
	struct holder holder;
};

struct holders {
	uint64_t *object;		/* ascending, with the holders beside it */
	struct holder *holder;
	size_t n;
};

static int by_object(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->holder.pid != y->holder.pid)
		return x->holder.pid < y->holder.pid ? -1 : 1;
	return (x->holder.cookie < y->holder.cookie) - (x->holder.cookie > y->holder.cookie);
}

/* Returns how many entries there are; they are sorted, with duplicates. */
static size_t entries_read(const unsigned char *p, size_t n, struct entry *ret)
{
	bool sorted = true;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct entry *x = &ret[count];
		struct holder_raw raw;

		memcpy(&raw, p + i * sizeof(raw), sizeof(raw));
		if (raw.kind >= OBJECT_KINDS)
			continue;
		x->object = (uint64_t)raw.kind << 32 | raw.id;
		x->holder.pid = raw.pid;
		x->holder.cookie = raw.cookie;
		memcpy(x->holder.comm, raw.comm, sizeof(raw.comm));
		sorted = sorted && (!count || by_object(x - 1, x) <= 0);
		count++;
	}
	if (!sorted)
		qsort(ret, count, sizeof(*ret), by_object);
	return count;
}

struct holders *holders_parse(const void *p, size_t n, struct arena *a)
{
	struct holders *h = arena_alloc(a, sizeof(*h));
	struct entry *entries;
	size_t count;

	n /= sizeof(struct holder_raw);
	entries = arena_array(a, n, sizeof(*entries));
	count = entries_read(p, n, entries);
	h->object = arena_array(a, count, sizeof(*h->object));
	h->holder = arena_array(a, count, sizeof(*h->holder));
	for (size_t i = 0; i < count; i++) {
		if (i && entries[i].object == entries[i - 1].object && entries[i].holder.pid == entries[i - 1].holder.pid)
			continue;
		h->object[h->n] = entries[i].object;
		h->holder[h->n++] = entries[i].holder;
	}
	return h;
}

static size_t first_from(const struct holders *h, uint64_t object)
{
	size_t lo = 0, hi = h->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (h->object[mid] < object)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct holder *holders_find(const struct holders *h, enum object_kind kind, uint32_t id, uint32_t *n)
{
	uint64_t object = (uint64_t)kind << 32 | id;
	size_t i = first_from(h, object), end = i;

	while (end < h->n && h->object[end] == object && end - i < UINT32_MAX)
		end++;
	*n = (uint32_t)(end - i);
	return end > i ? &h->holder[i] : NULL;
}
