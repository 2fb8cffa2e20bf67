/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/known.h"

#include <linux/bpf.h>
#include <sys/mman.h>

#include "source/info.h"

#define ROOM (32u << 20) /* bytes of a generation; pages that are not used take no memory */

/* Two generations: a reading finds answers in the last one, and fills the other, which then replaces it. */
struct known {
	unsigned last; /* 0 or 1 */
	size_t used[2];
	_Alignas(uint64_t) unsigned char room[2][ROOM];
};
struct known_answer {
	uint64_t key;
	uint32_t n, size; /* bytes of the answer, and with this head; a multiple of the alignment */
	unsigned char p[];
};

struct known_source {
	struct source source;
	struct source *inner;
	struct arena *arena;
	struct known *known;
	struct hash before; /* of struct known_answer in the last generation */
	uint64_t map;	    /* the last one whose memory lasts; what it is is asked before its fdinfo */
};

struct known *known_new(void)
{
	struct known *k =
		mmap(NULL, sizeof(*k), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return k == MAP_FAILED ? NULL : k;
}

void known_free(struct known **k)
{
	if (*k)
		munmap(*k, sizeof(**k));
	*k = NULL;
}

void known_end(struct known *k)
{
	if (!k)
		return;
	k->used[k->last] = 0;
	k->last = !k->last;
}

static uint64_t known_key(const struct asked *q)
{
	return (uint64_t)q->q << 32 | q->id;
}

/* Is the memory that the kernel reports for such a map that of its creation? */
static bool memory_lasts(const struct abi_map_info *info)
{
	switch (info->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return !(info->map_flags & BPF_F_NO_PREALLOC);
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_PROG_ARRAY:
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_CGROUP_ARRAY:
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
	case ABI_MAP_RINGBUF:
		return true;
	default:
		return false;
	}
}

static bool answer_lasts(const struct known_source *s, const struct asked *q)
{
	if (q->id > UINT32_MAX)
		return false;
	return q->q == question_of(Q_INFO, OBJECT_MAP) || q->q == question_of(Q_FDINFO, OBJECT_PROG) ||
	       (q->q == question_of(Q_FDINFO, OBJECT_MAP) && q->id == s->map);
}

/* Of an fdinfo the line that lasts; n 0: it has none. */
static struct blob lasting_part(const struct asked *q, const struct blob *b)
{
	static const char line[] = "\nmemlock:";
	const char *p, *end;

	if (q->q == question_of(Q_INFO, OBJECT_MAP))
		return *b;
	p = memmem(b->p, b->n, line, strlen(line));
	end = p ? memchr(p + 1, '\n', b->n - (size_t)(p + 1 - (const char *)b->p)) : NULL;
	return end ? (struct blob){ (const unsigned char *)p + 1, (size_t)(end - p) } : (struct blob){ NULL, 0 };
}

static void answer_keep(struct known_source *s, uint64_t key, const struct blob *b)
{
	struct known *k = s->known;
	size_t *used = &k->used[!k->last], align = sizeof(uint64_t);
	size_t size = (sizeof(struct known_answer) + b->n + align - 1) / align * align;
	struct known_answer *answer = (void *)(k->room[!k->last] + *used);

	if (!b->n || b->n > ROOM || size > ROOM - *used)
		return;
	*answer = (struct known_answer){ key, (uint32_t)b->n, (uint32_t)size };
	memcpy(answer->p, b->p, b->n);
	*used += size;
}

static void map_look(struct known_source *s, const struct asked *q, const struct blob *b)
{
	struct abi_map_info info = { 0 };

	memcpy(&info, b->p, b->n < sizeof(info) ? b->n : sizeof(info));
	if (memory_lasts(&info))
		s->map = q->id;
}

static int known_get(struct source *source, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct known_source *s = (struct known_source *)source;
	const bool lasts = answer_lasts(s, q);
	const struct known_answer *before = lasts ? hash_get(&s->before, known_key(q)) : NULL;
	struct blob part;
	int err = 0;

	if (before)
		*ret = part = (struct blob){ before->p, before->n };
	else
		err = source_ask(s->inner, q, a, ret);
	if (err || !lasts)
		return err;
	if (q->q == question_of(Q_INFO, OBJECT_MAP))
		map_look(s, q, ret);
	if (!before)
		part = lasting_part(q, ret);
	answer_keep(s, known_key(q), &part);
	return 0;
}

static void known_idle(struct source *s)
{
	source_idle(((struct known_source *)s)->inner);
}

static void known_close(struct source *source)
{
	struct known_source *s = (struct known_source *)source;

	source_close(&s->inner);
	arena_free(s->arena);
}

static const struct source_ops known_ops = {
	.name = "known", .get = known_get, .idle = known_idle, .close = known_close
};

struct source *source_known(struct source *inner, struct known *k)
{
	struct arena *a = arena_new();
	struct known_source *s = arena_alloc(a, sizeof(*s));

	*s = (struct known_source){ .source = { &known_ops, inner->swapped }, .inner = inner, .arena = a, .known = k };
	hash_init(&s->before, a);
	/* One that was killed has left its part. */
	k->used[!k->last] = 0;
	for (size_t at = 0; at < k->used[k->last];) {
		struct known_answer *answer = (void *)(k->room[k->last] + at);

		*hash_put(&s->before, answer->key) = answer;
		at += answer->size;
	}
	return &s->source;
}
