/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/known.h"

#include <linux/bpf.h>
#include <sys/mman.h>

#include "own/runs/prog_stats.bpf.h"
#include "source/info.h"
#include "source/live/source.h"

#define ROOM (1u << 17) /* answers to a question; pages that are not used take no memory */
#define ANSWER_MAX 248	/* bytes */

static const enum question lasting[] = { Q_INFO + OBJECT_PROG, Q_INFO + OBJECT_MAP, Q_FDINFO + OBJECT_PROG,
					 Q_FDINFO + OBJECT_MAP };

/* Answers to one question, by ascending id: those that are known, then those that a reading adds. */
struct known_list {
	uint32_t n, all;  /* known, and with those that were added */
	uint32_t next;	  /* the one that is asked next if objects are asked about in order */
	bool asked[ROOM]; /* by this reading */
	struct known_answer {
		uint32_t id, size;
		_Alignas(uint64_t) unsigned char p[ANSWER_MAX];
	} answer[ROOM];
};
struct known {
	struct known_list list[ARRAY_SIZE(lasting)];
};

struct known_source {
	struct source source;
	struct source *inner;
	struct known *known;
	const struct prog_stats *stats; /* by ascending id */
	size_t nstats;
	uint64_t map; /* the last one whose memory lasts; what it is is asked before its fdinfo */
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

static void answers_begin(struct known_list *l)
{
	l->all = l->n;
	l->next = 0;
	memset(l->asked, false, l->n);
}

static void answers_end(struct known_list *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->all; i++) {
		if (!l->asked[i])
			continue;
		if (i != n)
			l->answer[n] = l->answer[i];
		n++;
	}
	l->n = n;
}

void known_end(struct known *k)
{
	for (size_t i = 0; k && i < ARRAY_SIZE(lasting); i++)
		answers_end(&k->list[i]);
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

/* NULL: the answer may change. */
static struct known_list *list_of(const struct known_source *s, const struct asked *q)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(lasting) && q->q != lasting[i])
		i++;
	if (i == ARRAY_SIZE(lasting) || q->id > UINT32_MAX ||
	    (q->q == question_of(Q_FDINFO, OBJECT_MAP) && q->id != s->map) ||
	    (q->q == question_of(Q_INFO, OBJECT_PROG) && !s->nstats))
		return NULL;
	return &s->known->list[i];
}

static struct known_answer *answer_find(struct known_list *l, uint32_t id)
{
	uint32_t at = l->next;

	if (at >= l->all || l->answer[at].id != id)
		at = (uint32_t)ARRAY_LOWER(l->all, i, l->answer[i].id < id);
	if (at >= l->all || l->answer[at].id != id)
		return NULL;
	l->asked[at] = true;
	l->next = at + 1;
	return &l->answer[at];
}

/*
 * What a program is, with the counters of now. NULL: they are unknown, or a program with another time of loading or
 * other maps has this id.
 */
static const unsigned char *prog_recount(const struct known_source *s, const struct known_answer *known,
					 struct arena *a)
{
	const size_t i = ARRAY_LOWER(s->nstats, k, s->stats[k].id < known->id);
	const struct prog_stats *now = i < s->nstats && s->stats[i].id == known->id ? &s->stats[i] : NULL;
	const struct abi_prog_info *was = (const void *)known->p;
	struct abi_prog_info *info;

	if (!now || known->size < offsetof(struct abi_prog_info, verified_insns) || now->load_time != was->load_time ||
	    now->nr_maps != was->nr_map_ids)
		return NULL;
	info = arena_dup(a, known->p, known->size);
	source_live_saw(s->inner, info->id, info->type);
	info->run_time_ns = now->run_time_ns;
	info->run_cnt = now->run_cnt;
	info->recursion_misses = now->recursion_misses;
	return (const unsigned char *)info;
}

/* Of an fdinfo the line that lasts; n 0: it has none. */
static struct blob lasting_part(const struct asked *q, const struct blob *b)
{
	static const char line[] = "\nmemlock:";
	const char *p, *end;

	if (q->q <= Q_INFO_LAST)
		return *b;
	p = memmem(b->p, b->n, line, strlen(line));
	end = p ? memchr(p + 1, '\n', b->n - (size_t)(p + 1 - (const char *)b->p)) : NULL;
	return end ? (struct blob){ (const unsigned char *)p + 1, (size_t)(end - p) } : (struct blob){ NULL, 0 };
}

static void answer_set(struct known_answer *answer, const struct blob *b)
{
	answer->size = (uint32_t)b->n;
	memcpy(answer->p, b->p, b->n);
}

static void answer_add(struct known_list *l, uint32_t id, const struct blob *b)
{
	struct known_answer *answer = &l->answer[l->all];

	if (l->all >= ROOM || (l->all && answer[-1].id >= id))
		return;
	answer->id = id;
	answer_set(answer, b);
	l->asked[l->all++] = true;
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
	struct known_list *l = list_of(s, q);
	struct known_answer *known = l ? answer_find(l, (uint32_t)q->id) : NULL;
	const unsigned char *p = known ? known->p : NULL;
	struct blob part;
	int err = 0;

	if (known && q->q == question_of(Q_INFO, OBJECT_PROG))
		p = prog_recount(s, known, a);
	if (p)
		*ret = (struct blob){ p, known->size };
	else
		err = source_ask(s->inner, q, a, ret);
	if (err || !l)
		return err;
	if (q->q == question_of(Q_INFO, OBJECT_MAP))
		map_look(s, q, ret);
	if (p)
		return 0;
	part = lasting_part(q, ret);
	if (!part.n || part.n > ANSWER_MAX)
		return 0;
	if (known)
		answer_set(known, &part);
	else
		answer_add(l, (uint32_t)q->id, &part);
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
	free(s);
}

static const struct source_ops known_ops = {
	.name = "known", .get = known_get, .idle = known_idle, .close = known_close
};

bool known_keeps(const struct source *s, const struct asked *q)
{
	return s->ops == &known_ops && list_of((const struct known_source *)s, q);
}

struct source *source_known(struct source *inner, struct known *k, const struct prog_stats *stats, size_t n)
{
	struct known_source *s = array_resize(NULL, 1, sizeof(*s));

	*s = (struct known_source){
		.source = { &known_ops, inner->swapped },
		.inner = inner,
		.known = k,
		.stats = stats,
		.nstats = n,
	};
	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++)
		answers_begin(&k->list[i]);
	return &s->source;
}
