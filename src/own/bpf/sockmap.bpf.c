/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/socket.bpf.h"

OFFSET(sock_common, skc_state);
OFFSET(sock_common, skc_net);
OFFSET(sock, sk_type);
OFFSET(sock, sk_protocol);
OFFSET(net, ns);
OFFSET(net, loopback_dev); /* other structs are also called net */
OFFSET(ns_common, inum);
const volatile __u32 size; /* bytes of a key */

struct iter_sockmap { /* struct bpf_iter__sockmap */
	struct iter_meta *meta;
	void *map;
	void *key;
	const char *sk;
};

SEC("iter/sockmap") int sockmap(struct iter_sockmap *ctx)
{
	const char *sk = ctx->sk, *net = 0;
	struct map_socket s = { 0 };
	void *key = ctx->key;

	if (!sk || !key)
		return 0;
	socket_read(sk, &s.socket);
	PROBE(s.state, sk, sock_common, skc_state);
	PROBE(s.type, sk, sock, sk_type);
	PROBE(s.protocol, sk, sock, sk_protocol);
	PROBE(net, sk, sock_common, skc_net);
	PROBE(s.netns, net + at__net__ns, ns_common, inum);
	bpf_seq_write(ctx->meta->seq, &s, sizeof(s));
	bpf_seq_write(ctx->meta->seq, key, size);
	return 0;
}
