/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/ahead.h"

#include <fcntl.h>
#include <signal.h>
#include <bpf/bpf.h>

static void *batch_read(void *arg)
{
	struct ahead *a = arg;

	a->count = a->room;
	if (a->trie)
		a->err = trie_read(a->trie, a->from, a->out, a->keys, a->values, &a->count);
	else
		a->err = bpf_map_lookup_batch(a->fd, a->from, a->out, a->keys, a->values, &a->count, NULL);
	if (a->count > a->room)
		a->count = 0;
	close(a->fd);
	return NULL;
}

static void ahead_room_make(unsigned char **p, size_t *cap, size_t need)
{
	if (need <= *cap)
		return;
	*p = array_resize(*p, need, 1);
	*cap = need;
}

void ahead_start(struct ahead *a, struct trie *trie, uint32_t map_id, int fd, const unsigned char *from,
		 size_t pos_size, uint32_t room, size_t key_size, size_t value_size)
{
	sigset_t all, before;

	ahead_wait(a);
	ahead_room_make(&a->keys, &a->keys_cap, room * key_size + 1);
	ahead_room_make(&a->values, &a->values_cap, room * value_size + 1);
	a->from = array_resize(a->from, 2, pos_size);
	a->out = a->from + pos_size;
	a->pos_size = pos_size;
	a->trie = trie;
	a->map_id = map_id;
	a->room = room;
	memcpy(a->from, from, pos_size);
	memset(a->out, 0, pos_size);
	/* The live source may close the map's descriptor when it is asked about another object. */
	a->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (a->fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	a->running = !pthread_create(&a->thread, NULL, batch_read, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!a->running)
		close(a->fd);
}

bool ahead_take(struct ahead *a, uint32_t map_id, const unsigned char *from, size_t pos_size, uint32_t room)
{
	bool running = a->running;

	ahead_wait(a);
	return running && a->map_id == map_id && a->room == room && a->pos_size == pos_size &&
	       !memcmp(a->from, from, pos_size);
}

void ahead_wait(struct ahead *a)
{
	if (a->running)
		pthread_join(a->thread, NULL);
	a->running = false;
}

void ahead_release(struct ahead *a)
{
	ahead_wait(a);
	free(a->keys);
	free(a->values);
	free(a->from);
}
