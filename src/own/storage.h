/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_STORAGE_H
#define OWN_STORAGE_H

#include <stdint.h>

struct str;
struct own;
/* A socket, as its struct sock_common has it. */
struct socket_raw {
	uint64_t cookie;      /* 0: nobody asked the kernel for one yet */
	uint16_t family;      /* AF_INET, AF_INET6, or another */
	uint16_t remote_port; /* network order */
	uint16_t local_port;  /* host order */
	uint16_t pad;
	unsigned char local[16], remote[16]; /* AF_INET: the first 4 bytes */
};
/*
 * Whose a value in a map of local storage is: a task's, a cgroup's or a socket's, by the map's type. What does not
 * belong to such an owner is zero.
 */
struct storage_owner {
	uint32_t tid, pid; /* task: thread and process */
	char comm[16];	   /* of the thread; terminated */
	uint64_t cgroup_id;
	struct socket_raw socket;
};
/* What a sockmap or sockhash has behind a key. */
struct map_socket {
	struct socket_raw socket;
	uint32_t netns;		 /* inode number */
	uint16_t type, protocol; /* SOCK_STREAM, IPPROTO_TCP */
	uint8_t state;		 /* TCP_ESTABLISHED, TCP_LISTEN, ... of <netinet/tcp.h>, whatever the protocol */
	uint8_t pad[7];
};

/*
 * All values of a map of task, cgroup or socket storage, each behind its owner: struct storage_owner and @value_size
 * bytes. BPF iterators read them, made for this map and gone afterwards; elements are not changed, and none is made.
 * -EINVAL: a map of another type. The kernel's own errno where it has no such iterator (tasks 5.11, sockets 5.10,
 * cgroups 6.2).
 */
int storage_read(struct own *own, int map_fd, uint32_t type, uint32_t value_size, struct str *ret);
/* The same of a sockmap or sockhash (5.10): for each element that is there struct map_socket and @key_size bytes. */
int sockets_read(struct own *own, int map_fd, uint32_t key_size, struct str *ret);

#endif
