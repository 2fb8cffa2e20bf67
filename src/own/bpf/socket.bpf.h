/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* For the *.bpf.c files: read a socket into the struct of storage.h. */
#include "own/bpf/program.bpf.h"
#include "own/storage.h"

OFFSET(sock_common, skc_family);
OFFSET(sock_common, skc_cookie);
OFFSET(sock_common, skc_daddr);
OFFSET(sock_common, skc_rcv_saddr);
OFFSET(sock_common, skc_dport);
OFFSET(sock_common, skc_num);
OFFSET(sock_common, skc_v6_daddr) __weak;
OFFSET(sock_common, skc_v6_rcv_saddr) __weak;

enum { INET6 = 10 }; /* AF_INET6 */

/* Read only the first @n bytes of a member. */
#define PROBE_PART(to, n, p, type, member) bpf_probe_read_kernel(&(to), n, FIELD(p, type, member))

static __always_inline void socket_read(const char *sk, struct socket_raw *ret)
{
	PROBE(ret->family, sk, sock_common, skc_family);
	PROBE(ret->cookie, sk, sock_common, skc_cookie);
	PROBE(ret->remote_port, sk, sock_common, skc_dport);
	PROBE(ret->local_port, sk, sock_common, skc_num);
	if (ret->family == INET6 && at__sock_common__skc_v6_daddr >= 0 && at__sock_common__skc_v6_rcv_saddr >= 0) {
		PROBE(ret->remote, sk, sock_common, skc_v6_daddr);
		PROBE(ret->local, sk, sock_common, skc_v6_rcv_saddr);
	} else {
		PROBE_PART(ret->remote, 4, sk, sock_common, skc_daddr);
		PROBE_PART(ret->local, 4, sk, sock_common, skc_rcv_saddr);
	}
}
