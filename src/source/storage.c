/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/storage.h"

static int storage_answer(struct machine *m, struct arena *a, uint32_t map_id, enum question q, size_t stride,
			  struct storage *ret)
{
	struct blob b;
	int err = ask(m, a, &b, q, map_id);

	if (err)
		return err;
	if (b.n % stride)
		return note_refused(m, -EBADMSG, q, map_id);
	*ret = (struct storage){ b.p, b.n / stride, stride };
	return 0;
}

int storage_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t value_size, struct storage *ret)
{
	return storage_answer(m, a, map_id, Q_MAP_STORAGE, sizeof(struct storage_owner) + value_size, ret);
}

int storage_sockets_get(struct machine *m, struct arena *a, uint32_t map_id, uint32_t key_size, struct storage *ret)
{
	return storage_answer(m, a, map_id, Q_MAP_SOCKETS, sizeof(struct map_socket) + key_size, ret);
}
