/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include "source/storage.h"

int storage_get(struct source *s, struct arena *a, uint32_t map_id, uint32_t value_size, struct storage *ret)
{
	size_t stride = sizeof(struct storage_owner) + value_size;
	struct blob b;
	int err = source_get(s, a, &b, "map/%u/storage", map_id);

	if (err)
		return err;
	if (b.n % stride)
		return -EBADMSG;
	*ret = (struct storage){ b.p, b.n / stride, stride };
	return 0;
}
