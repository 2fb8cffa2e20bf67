/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/early.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "source/questions.h"
#include "source/source.h"

#define CHUNK 64u  /* objects that a thread takes at a time */
#define WINDOW 64u /* chunks, from the caller's on, that may be started */

struct early_answer {
	int err;
	struct blob b;
};

/* The chunk in the window whose number modulo WINDOW is the index of the slot. */
struct slot {
	enum { FREE, BUSY, DONE } state;
	size_t number;
	struct arena *arena;	      /* of the answers */
	struct early_answer *answers; /* nq for each object */
};

struct early {
	struct arena *arena;
	const uint32_t *ids; /* ascending */
	size_t n, chunks;
	enum question q[EXPECTED_QUESTIONS];
	size_t nq;
	struct source *(*open)(void);
	struct source *caller;
	pthread_t threads[EARLY_THREADS];
	unsigned nthreads;
	/* Used by the caller only. */
	bool helps;		 /* the caller also asks, like the threads */
	size_t at;		 /* the object that it asks about */
	size_t entered;		 /* its chunk; SIZE_MAX: none */
	const struct slot *here; /* of its chunk; NULL: the caller has passed it */
	/* Protected by the lock. */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	size_t next;	/* the first chunk that is not started */
	size_t current; /* chunk of the caller */
	bool stop;
	struct slot slots[WINDOW];
};

/* NULL: nothing to do now. */
static struct slot *chunk_begin(struct early *e)
{
	struct slot *s = &e->slots[e->next % WINDOW];

	if (e->stop || e->next >= e->chunks || e->next >= e->current + WINDOW || s->state != FREE)
		return NULL;
	s->state = BUSY;
	s->number = e->next++;
	return s;
}

static void chunk_ask(const struct early *e, struct source *src, struct slot *s)
{
	const size_t first = s->number * CHUNK;

	if (!s->arena)
		s->arena = arena_new();
	arena_clear(s->arena);
	s->answers = arena_array(s->arena, CHUNK * e->nq, sizeof(*s->answers));
	for (size_t i = 0; i < CHUNK && first + i < e->n; i++) {
		for (size_t j = 0; j < e->nq; j++) {
			const struct asked q = { e->q[j], .id = e->ids[first + i] };
			struct early_answer *r = &s->answers[i * e->nq + j];

			r->err = src->ops->get(src, &q, s->arena, &r->b);
		}
	}
}

/* Called with the lock held, which is released while the source is asked. */
static void chunk_do(struct early *e, struct source *src, struct slot *s)
{
	pthread_mutex_unlock(&e->lock);
	chunk_ask(e, src, s);
	pthread_mutex_lock(&e->lock);
	s->state = DONE;
	pthread_cond_broadcast(&e->moved);
}

static void *work(void *arg)
{
	struct early *e = arg;
	struct source *src = e->open();
	struct slot *s;

	pthread_mutex_lock(&e->lock);
	while (src && !e->stop && e->next < e->chunks) {
		s = chunk_begin(e);
		if (s)
			chunk_do(e, src, s);
		else
			pthread_cond_wait(&e->moved, &e->lock);
	}
	pthread_mutex_unlock(&e->lock);
	source_close(&src);
	return NULL;
}

static unsigned spare_cpus(void)
{
	cpu_set_t cpus;
	int n = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	return n > 1 ? (unsigned)n - 1 : 0;
}

static void threads_start(struct early *e)
{
	const unsigned cpus = spare_cpus(), most = cpus < EARLY_THREADS ? cpus : EARLY_THREADS;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (e->nthreads < most && !pthread_create(&e->threads[e->nthreads], NULL, work, e))
		e->nthreads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct early *early_start(const struct expected *x, struct source *caller, struct source *(*open)(void))
{
	struct arena *a;
	struct early *e;

	if (x->n < EARLY_LEAST || !x->nq || x->nq > EXPECTED_QUESTIONS)
		return NULL;
	a = arena_new();
	e = arena_alloc(a, sizeof(*e));
	e->arena = a;
	e->ids = arena_dup(a, x->ids, x->n * sizeof(*x->ids));
	e->n = x->n;
	e->chunks = (x->n + CHUNK - 1) / CHUNK;
	memcpy(e->q, x->q, x->nq * sizeof(*x->q));
	e->nq = x->nq;
	e->open = open;
	e->caller = caller;
	e->entered = SIZE_MAX;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->moved, NULL);
	threads_start(e);
	if (!e->nthreads)
		early_end(&e);
	return e;
}

void early_end(struct early **e)
{
	struct early *old = *e;

	*e = NULL;
	if (!old)
		return;
	pthread_mutex_lock(&old->lock);
	old->stop = true;
	pthread_cond_broadcast(&old->moved);
	pthread_mutex_unlock(&old->lock);
	for (unsigned i = 0; i < old->nthreads; i++)
		pthread_join(old->threads[i], NULL);
	for (size_t i = 0; i < WINDOW; i++)
		arena_free(old->slots[i].arena);
	pthread_cond_destroy(&old->moved);
	pthread_mutex_destroy(&old->lock);
	arena_free(old->arena);
}

/* The caller proceeds to that chunk. While threads work on it, the caller starts others. */
static void chunk_enter(struct early *e, size_t number)
{
	struct slot *s = &e->slots[number % WINDOW], *other;

	pthread_mutex_lock(&e->lock);
	e->current = number;
	e->next = e->next < number ? number : e->next;
	for (size_t i = 0; i < WINDOW; i++)
		if (e->slots[i].state == DONE && e->slots[i].number < number)
			e->slots[i].state = FREE;
	pthread_cond_broadcast(&e->moved);
	while (!(s->state == DONE && s->number == number)) {
		if ((other = chunk_begin(e)))
			chunk_do(e, e->caller, other);
		else if (s->state == BUSY)
			pthread_cond_wait(&e->moved, &e->lock);
		else
			break;
	}
	e->here = s->state == DONE && s->number == number ? s : NULL;
	pthread_mutex_unlock(&e->lock);
}

static bool object_find(const struct early *e, uint64_t id, size_t *ret)
{
	if (e->ids[e->at] == id || (e->at + 1 < e->n && e->ids[e->at + 1] == id)) {
		*ret = e->at + (e->ids[e->at] != id);
		return true;
	}
	*ret = ARRAY_LOWER(e->n, i, e->ids[i] < id);
	return *ret < e->n && e->ids[*ret] == id;
}

bool early_take(struct early *e, const struct asked *q, struct arena *a, struct blob *ret, int *ret_err)
{
	const struct early_answer *r;
	size_t j = 0, at;

	while (j < e->nq && e->q[j] != q->q)
		j++;
	if (e->helps || j == e->nq || !object_find(e, q->id, &at))
		return false;
	e->at = at;
	if (at / CHUNK != e->entered) {
		e->entered = at / CHUNK;
		e->helps = true;
		chunk_enter(e, at / CHUNK);
		e->helps = false;
	}
	if (!e->here)
		return false;
	r = &e->here->answers[at % CHUNK * e->nq + j];
	*ret_err = r->err;
	if (!r->err)
		*ret = (struct blob){ r->b.n ? arena_dup(a, r->b.p, r->b.n) : (const void *)"", r->b.n };
	return true;
}
