/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include "source/storage.h"

static int get(struct source *s, struct arena *a, uint32_t map_id, const char *what, size_t stride, struct storage *ret)
{
	struct blob b;
	int err = source_get(s, a, &b, "map/%u/%s", map_id, what);

	if (err)
		return err;
	if (b.n % stride)
		return -EBADMSG;
	*ret = (struct storage){ b.p, b.n / stride, stride };
	return 0;
}

int storage_get(struct source *s, struct arena *a, uint32_t map_id, uint32_t value_size, struct storage *ret)
{
	return get(s, a, map_id, "storage", sizeof(struct storage_owner) + value_size, ret);
}

int storage_sockets_get(struct source *s, struct arena *a, uint32_t map_id, uint32_t key_size, struct storage *ret)
{
	return get(s, a, map_id, "sockets", sizeof(struct map_socket) + key_size, ret);
}
