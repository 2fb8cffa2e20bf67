/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/socket.bpf.h"
#include "own/bpf/storage.bpf.h"

struct iter_bpf_sk_storage_map { /* struct bpf_iter__bpf_sk_storage_map */
	struct iter_meta *meta;
	void *map;
	const char *sk;
	void *value;
};

SEC("iter/bpf_sk_storage_map") int storage_socket(struct iter_bpf_sk_storage_map *ctx)
{
	struct storage_owner o = { 0 };
	const char *sk = ctx->sk;
	void *value = ctx->value;

	if (!sk || !value)
		return 0;
	socket_read(sk, &o.socket);
	return storage_tell(ctx->meta, &o, value);
}
