/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/socket.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/bytes.h"
#include "cli/env.h"
#include "map/elem/note.h"
#include "map/elem/print.h"
#include "record/field.h"
#include "source/storage.h"
#include "kernel/abi.h"

/* A socket, in readable form. */
struct socket_rec {
	struct map_socket raw;
	const char *protocol, *type, *local, *remote, *state;
};

#define SOCKET_FIELD(m, nm, help, ...) FIELD(socket_rec, m, nm, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field socket_fields[] = {
	SOCKET_FIELD(protocol, "protocol", "tcp, udp, or the address family", .plain = "%", .col = 0),
	SOCKET_FIELD(type, "type", "stream, dgram or seqpacket", .plain = " %", .col = 1),
	SOCKET_FIELD(local, "local", "address and port of the socket", .plain = "  %", .col = 2),
	SOCKET_FIELD(remote, "remote", "address and port that it is connected to", .plain = " -> %", .col = 3),
	SOCKET_FIELD(state, "state", "state, as for TCP", .plain = "  %", .col = 4),
	SOCKET_FIELD(raw.socket.cookie, "cookie", "cookie of the socket, if it was ever requested",
		     .plain = "  cookie %", .col = 5),
	SOCKET_FIELD(raw.netns, "netns", "network namespace of the socket", .unit = FU_NETNS, .plain = "  netns %",
		     .col = 6),
};
static const struct schema schema_socket = SCHEMA("socket", socket_rec, socket_fields);

struct sockets {
	struct env *env;
	uint32_t key_size;
	const struct storage *all;
	uint32_t *order; /* of the sockets, by key */
};

const char *socket_address(struct arena *a, uint16_t family, const unsigned char *addr, uint16_t port)
{
	char text[INET6_ADDRSTRLEN];

	if (family != AF_INET && family != AF_INET6)
		return NULL;
	inet_ntop(family, addr, text, sizeof(text));
	return arena_fmt(a, family == AF_INET ? "%s:%u" : "[%s]:%u", text, port);
}

const char *socket_family(struct arena *a, uint16_t family)
{
	switch (family) {
	case AF_UNIX:
		return "unix";
	case AF_INET:
		return "inet";
	case AF_INET6:
		return "inet6";
	case AF_VSOCK:
		return "vsock";
	default:
		return arena_fmt(a, "family %u", family);
	}
}

static const char *protocol_word(struct arena *a, const struct map_socket *s)
{
	if (s->socket.family != AF_INET && s->socket.family != AF_INET6)
		return socket_family(a, s->socket.family);
	switch (s->protocol) {
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_SCTP:
		return "sctp";
	default:
		return arena_fmt(a, "protocol %u", s->protocol);
	}
}

static const char *socket_type_word(struct arena *a, uint16_t type)
{
	switch (type) {
	case SOCK_STREAM:
		return "stream";
	case SOCK_DGRAM:
		return "dgram";
	case SOCK_SEQPACKET:
		return "seqpacket";
	default:
		return arena_fmt(a, "type %u", type);
	}
}

static const char *state_word(struct arena *a, uint8_t state)
{
	static const char *const words[] = {
		[TCP_ESTABLISHED] = "ESTABLISHED",
		[TCP_SYN_SENT] = "SYN_SENT",
		[TCP_SYN_RECV] = "SYN_RECV",
		[TCP_FIN_WAIT1] = "FIN_WAIT1",
		[TCP_FIN_WAIT2] = "FIN_WAIT2",
		[TCP_TIME_WAIT] = "TIME_WAIT",
		[TCP_CLOSE] = "CLOSE",
		[TCP_CLOSE_WAIT] = "CLOSE_WAIT",
		[TCP_LAST_ACK] = "LAST_ACK",
		[TCP_LISTEN] = "LISTEN",
		[TCP_CLOSING] = "CLOSING",
		[12] = "NEW_SYN_RECV",
	};

	return state < ARRAY_SIZE(words) && words[state] ? words[state] : arena_fmt(a, "state %u", state);
}

static void socket_read(struct arena *a, const struct map_socket *raw, struct socket_rec *r)
{
	const struct socket_raw *s = &raw->socket;

	*r = (struct socket_rec){
		.raw = *raw,
		.protocol = protocol_word(a, raw),
		.type = socket_type_word(a, raw->type),
		.state = state_word(a, raw->state),
		.local = socket_address(a, s->family, s->local, s->local_port),
		.remote = s->remote_port ? socket_address(a, s->family, s->remote, ntohs(s->remote_port)) : NULL,
	};
}

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct sockets *s = ctx;

	return memcmp(storage_socket_key(s->all, *(const uint32_t *)a),
		      storage_socket_key(s->all, *(const uint32_t *)b), s->key_size);
}

const struct sockets *sockets_find(struct env *env, const struct abi_map_info *info, int *ret_err)
{
	struct storage *all = arena_alloc(env->keep, sizeof(*all));
	struct sockets *ret = arena_alloc(env->keep, sizeof(*ret));

	*ret_err = 0;
	if (info->type != BPF_MAP_TYPE_SOCKMAP && info->type != BPF_MAP_TYPE_SOCKHASH)
		return NULL;
	*ret_err = storage_sockets_get(env->machine, env->keep, info->id, info->key_size, all);
	if (!*ret_err && all->n > UINT32_MAX)
		*ret_err = -EFBIG;
	if (*ret_err)
		return NULL;
	*ret = (struct sockets){ env, info->key_size, all, arena_array(env->keep, all->n, sizeof(*ret->order)) };
	for (uint32_t i = 0; i < all->n; i++)
		ret->order[i] = i;
	qsort_r(ret->order, all->n, sizeof(*ret->order), by_key, ret);
	return ret;
}

static bool socket_at(const struct sockets *s, const unsigned char *key, struct map_socket *ret)
{
	const size_t at =
		ARRAY_LOWER(s->all->n, i, memcmp(storage_socket_key(s->all, s->order[i]), key, s->key_size) < 0);

	if (at == s->all->n || memcmp(storage_socket_key(s->all, s->order[at]), key, s->key_size))
		return false;
	*ret = storage_socket(s->all, s->order[at]);
	return true;
}

bool socket_note(const struct elem_form *f, const unsigned char *key, int err, struct elem_note *ret)
{
	struct arena *a = f->sockets->env->arena;
	struct socket_rec *rec;
	struct map_socket raw;

	if (!socket_at(f->sockets, key, &raw))
		return false;
	/* Values of 8 bytes are cookies, which a lookup creates. */
	if (!err && f->value_size == sizeof(raw.socket.cookie))
		raw.socket.cookie = load_uint(key + f->key_size, sizeof(raw.socket.cookie), f->big);
	rec = arena_alloc(a, sizeof(*rec));
	socket_read(a, &raw, rec);
	*ret = (struct elem_note){ "socket", &schema_socket, rec };
	return true;
}
