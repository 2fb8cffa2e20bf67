/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/segments.h"

#include "source/file/gzip.h"

#define STEP ((size_t)64 << 10)

static void drop(struct segment *s)
{
	free(s->p);
	*s = (struct segment){ 0 };
}

void segments_release(struct segments *s)
{
	for (size_t i = 0; i < SEGMENTS; i++)
		drop(&s->slot[i]);
}

static struct segment *segment_find(struct segments *s, uint64_t start)
{
	for (size_t i = 0; i < SEGMENTS; i++)
		if (s->slot[i].p && s->slot[i].start == start)
			return &s->slot[i];
	return NULL;
}

/* Frees a slot, so that @more bytes may be kept. */
static struct segment *make_room(struct segments *s, size_t more)
{
	for (;;) {
		struct segment *oldest = NULL, *free_slot = NULL;
		size_t sum = more;

		for (size_t i = 0; i < SEGMENTS; i++) {
			struct segment *slot = &s->slot[i];

			sum += slot->n;
			if (!slot->p)
				free_slot = slot;
			else if (!oldest || slot->used < oldest->used)
				oldest = slot;
		}
		if (free_slot && (sum <= SEGMENTS_KEPT || !oldest))
			return free_slot;
		drop(oldest);
	}
}

/* Unpacks the member, or as much of it as may be kept. Its checksum is verified if its end is reached. */
static int unpack(struct segment *seg, struct gzip_reader *r)
{
	/* Memory that is not touched costs nothing, whereas to grow it costs copies. */
	seg->p = array_resize(NULL, SEGMENT_KEPT, 1);
	while (seg->n < SEGMENT_KEPT) {
		ssize_t got = gzip_read(r, seg->p + seg->n, SEGMENT_KEPT - seg->n);

		if (got < 0)
			return (int)got;
		if (!got)
			break;
		seg->n += (size_t)got;
	}
	seg->p = array_resize(seg->p, seg->n + 1, 1);
	return 0;
}

static int segment_load(struct segments *s, uint64_t start, struct segment **ret)
{
	struct segment seg = { .start = start };
	struct gzip_reader *r = NULL;
	int err = gzip_reader_open(&r, s->in, start);

	if (!err)
		err = unpack(&seg, r);
	gzip_reader_close(&r);
	if (err) {
		free(seg.p);
		return err;
	}
	*ret = make_room(s, seg.n);
	**ret = seg;
	return 0;
}

/* Reads from the start of the member, and across its end into the next one. */
static int read_through(struct gzip_reader *r, uint64_t off, unsigned char *buf, size_t n)
{
	CLEAN_PTR unsigned char *skip = malloc(STEP);

	if (!skip)
		return -ENOMEM;
	while (n) {
		size_t step = off ? (off < STEP ? (size_t)off : STEP) : n;
		ssize_t got = gzip_read(r, off ? skip : buf, step);

		if (!got)
			got = gzip_next(r) == 1 ? 0 : -EBADMSG;
		if (got < 0)
			return (int)got;
		if (off) {
			off -= (uint64_t)got;
		} else {
			buf += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

int segments_read(struct segments *s, uint64_t start, uint64_t off, void *buf, size_t n)
{
	struct segment *seg = segment_find(s, start);
	struct gzip_reader *r = NULL;
	int err = 0;

	if (!seg && off + n <= SEGMENT_KEPT)
		err = segment_load(s, start, &seg);
	if (err)
		return err;
	if (seg) {
		seg->used = ++s->clock;
		if (off <= seg->n && n <= seg->n - off) {
			memcpy(buf, seg->p + off, n);
			return 0;
		}
	}
	err = gzip_reader_open(&r, s->in, start);
	if (!err)
		err = read_through(r, off, buf, n);
	gzip_reader_close(&r);
	return err;
}
