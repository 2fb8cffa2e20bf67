/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/batches.h"

#include <signal.h>

#include "kernel/elem.h"

#define BATCH 4096u
#define BATCH_BYTES (1u << 20)

void batches_init(struct batches *b, struct arena *a)
{
	size_t stride = b->key_size + b->value_size;

	b->max = stride >= BATCH_BYTES ? 1 : (uint32_t)(BATCH_BYTES / (stride ? stride : 1));
	b->max = b->max < BATCH ? b->max : BATCH;
	for (int i = 0; i < 2; i++) {
		b->batch[i].keys = arena_array(a, b->max, b->key_size);
		/* The kernel may copy values rounded up. */
		b->batch[i].values = arena_alloc(a, b->max * b->value_size + 16);
		b->batch[i].at = arena_array(a, b->max, sizeof(uint64_t));
	}
}

static const unsigned char *key_at(const struct batches *b, const struct batch *p, uint32_t i)
{
	return p->keys + i * b->key_size;
}

static const unsigned char *value_at(const struct batches *b, const struct batch *p, uint32_t i)
{
	return p->values + i * b->value_size;
}

/*
 * Handles the answer for the elements from @i on: counts those that were written, and tries the first of the others
 * alone.
 */
static uint32_t settle(struct batches *b, const struct batch *p, uint32_t i, int err, uint32_t count)
{
	if (!err || count < p->n - i) {
		b->written += count;
		i += count;
		if (count)
			b->last = p->at[i - 1];
	} else {
		b->single = true;
	}
	if (err && i < p->n) {
		b->stop = !b->one(b->ctx, p->at[i], key_at(b, p, i), value_at(b, p, i));
		b->last = p->at[i];
		i++;
	}
	return i;
}

/* The element at which a batch ends is tried alone, for its cause. */
static void rest_write(struct batches *b, struct batch *p, uint32_t i)
{
	while (i < p->n && !b->stop) {
		uint32_t count = p->n - i;
		int err =
			b->single ? -EOPNOTSUPP : elem_update_batch(b->fd, key_at(b, p, i), value_at(b, p, i), &count);

		i = settle(b, p, i, err, count);
	}
	p->n = 0;
}

static void *thread_write(void *arg)
{
	struct batches *b = arg;
	const struct batch *p = &b->batch[!b->filling];

	b->err = elem_update_batch(b->fd, p->keys, p->values, &b->count);
	return NULL;
}

static void thread_wait(struct batches *b)
{
	struct batch *p = &b->batch[!b->filling];

	if (!b->running)
		return;
	pthread_join(b->thread, NULL);
	b->running = false;
	rest_write(b, p, settle(b, p, 0, b->err, b->count));
}

static void thread_start(struct batches *b)
{
	sigset_t all, before;

	b->count = b->batch[b->filling].n;
	b->filling = !b->filling;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	b->running = !pthread_create(&b->thread, NULL, thread_write, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!b->running)
		rest_write(b, &b->batch[!b->filling], 0);
}

void batches_put(struct batches *b, uint64_t at, const unsigned char *elem)
{
	struct batch *p = &b->batch[b->filling];

	memcpy(p->keys + p->n * b->key_size, elem, b->key_size);
	memcpy(p->values + p->n * b->value_size, elem + b->key_size, b->value_size);
	p->at[p->n++] = at;
	if (p->n < b->max)
		return;
	thread_wait(b);
	if (b->single || b->stop)
		rest_write(b, p, 0);
	else
		thread_start(b);
}

void batches_flush(struct batches *b)
{
	thread_wait(b);
	rest_write(b, &b->batch[b->filling], 0);
}
