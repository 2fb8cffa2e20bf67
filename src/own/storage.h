/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct str;
struct own;
/* A socket, from its struct sock_common. */
struct socket_raw {
	uint64_t cookie;      /* 0: it has none, because none was requested yet */
	uint16_t family;      /* AF_INET, AF_INET6, or another */
	uint16_t remote_port; /* network order */
	uint16_t local_port;  /* host order */
	uint16_t pad;
	unsigned char local[16], remote[16]; /* AF_INET: the first 4 bytes */
};
/*
 * The task, cgroup or socket that a value of local storage belongs to, by the map's type. Members of the other types
 * are zero.
 */
struct storage_owner {
	uint32_t tid, pid; /* of a task: thread and process */
	char comm[16];	   /* of the thread; terminated */
	uint64_t cgroup_id;
	struct socket_raw socket;
};
/* A value of a sockmap or sockhash. */
struct map_socket {
	struct socket_raw socket;
	uint32_t netns;		 /* inode number */
	uint16_t type, protocol; /* SOCK_STREAM, IPPROTO_TCP */
	uint8_t state;		 /* TCP_ESTABLISHED, TCP_LISTEN, ... of <netinet/tcp.h>, whatever the protocol */
	uint8_t pad[7];
};

/*
 * Append all values of a map of task, cgroup or socket storage: for each a struct storage_owner and @value_size bytes.
 * BPF iterators loaded for this map read them; elements are not changed or created. 0 or -errno; -EINVAL: a map of
 * another type. Another -errno if the kernel has no such iterator (tasks since 5.11, sockets since 5.10, cgroups since
 * 6.2).
 */
int storage_read(struct own *own, int map_fd, uint32_t type, uint32_t value_size, struct str *ret);
/* The same for a sockmap or sockhash (since 5.10): for each element a struct map_socket and @key_size bytes. */
int sockets_read(struct own *own, int map_fd, uint32_t key_size, struct str *ret);
