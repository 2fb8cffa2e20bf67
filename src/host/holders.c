/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/holders.h"
#include "host/holders_fdinfo.h"
#include "host/proc.h"
#include "own/own.h"

/* Approximate microseconds: to read a process and a descriptor in /proc, and to load and run the iterator. */
enum { PROCESS_US = 25, FILE_US = 4, ITERATOR_US = 4000 };

/* Exclude our own objects: a loader process that is still running holds them. */
static bool is_holder_wanted(const struct own *own, const struct holders_of *of, const struct holder_raw *raw)
{
	if (raw->kind >= OBJECT_KINDS)
		return true;
	return !own_has(own, (enum object_kind)raw->kind, raw->id) &&
	       (!of || (raw->kind == (uint32_t)of->kind && raw->id == of->id));
}

static void holders_select(const struct own *own, const struct holders_of *of, struct str *s, size_t from)
{
	struct holder_raw raw;
	size_t to = from;

	for (size_t at = from; own_record(s, &at, &raw, sizeof(raw));) {
		if (!is_holder_wanted(own, of, &raw))
			continue;
		memcpy(s->p + to, &raw, sizeof(raw));
		to += sizeof(raw);
	}
	s->n = to;
}

int holders_collect(struct own *own, const struct holders_of *of, struct str *ret, const char **ret_way, int *ret_why,
		    struct err *e)
{
	const size_t before = ret->n;
	const uint64_t files = proc_files();
	bool whole = false;
	int err;

	*ret_way = "fdinfo";
	*ret_why = 0;
	/* Load nothing if reading /proc takes no longer. */
	if (proc_walk_us(files, PROCESS_US, FILE_US) <= ITERATOR_US && !holders_by_fdinfo(ret, &whole) && whole) {
		holders_select(own, of, ret, before);
		return 0;
	}
	ret->n = before;
	*ret_why = holders_by_iterator(own, of, files, ret);
	if (!*ret_why) {
		*ret_way = "iterator";
		return 0;
	}
	err = holders_by_fdinfo(ret, &whole);
	holders_select(own, of, ret, before);
	return err ? err_sys(e, err, "cannot determine which processes hold BPF objects") : 0;
}

struct holder_entry {
	uint64_t object; /* kind << 32 | id */
	struct holder holder;
};

struct holders {
	int unseen;	  /* why a process could not be read; 0: all were */
	uint64_t *object; /* ascending; holder[i] holds object[i] */
	struct holder *holder;
	size_t n;
};

static int by_object(const void *a, const void *b)
{
	const struct holder_entry *x = a, *y = b;

	return NUM_CMP(x->object, y->object)		     ?:
		       NUM_CMP(x->holder.pid, y->holder.pid) ?:
							       NUM_CMP(y->holder.cookie, x->holder.cookie);
}

/* Returns the number of entries, sorted, with duplicates. */
static size_t entries_read(const unsigned char *p, size_t n, struct holder_entry *ret, int *ret_unseen)
{
	bool sorted = true;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct holder_entry *x = &ret[count];
		struct holder_raw raw;

		memcpy(&raw, p + i * sizeof(raw), sizeof(raw));
		if (raw.kind == HOLDER_UNSEEN && raw.id && raw.id < 4096 && !*ret_unseen)
			*ret_unseen = -(int)raw.id;
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
	struct holder_entry *entries;
	size_t count;

	n /= sizeof(struct holder_raw);
	entries = arena_array(a, n, sizeof(*entries));
	count = entries_read(p, n, entries, &h->unseen);
	h->object = arena_array(a, count, sizeof(*h->object));
	h->holder = arena_array(a, count, sizeof(*h->holder));
	for (size_t i = 0; i < count; i++) {
		if (i && entries[i].object == entries[i - 1].object &&
		    entries[i].holder.pid == entries[i - 1].holder.pid)
			continue;
		h->object[h->n] = entries[i].object;
		h->holder[h->n++] = entries[i].holder;
	}
	return h;
}

int holders_unseen(const struct holders *h)
{
	return h->unseen;
}

size_t holders_count(const struct holders *h)
{
	return h->n;
}

const struct holder *holders_at(const struct holders *h, size_t i, enum object_kind *kind, uint32_t *id)
{
	*kind = (enum object_kind)(h->object[i] >> 32);
	*id = (uint32_t)h->object[i];
	return &h->holder[i];
}

static size_t first_from(const struct holders *h, uint64_t object)
{
	return ARRAY_LOWER(h->n, i, h->object[i] < object);
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
