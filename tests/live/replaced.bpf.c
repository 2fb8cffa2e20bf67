/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacements of functions in other programs, which are verified by their contexts. Some types are refused without an
 * attach type. */
#include "types.bpf.h"

#define REPLACE(name, context, code) \
	struct context { \
		int member; \
	}; \
	SEC("freplace/" #name) int name(struct context *ctx) \
	{ \
		return code; \
	}
REPLACE(new_device, bpf_cgroup_dev_ctx, 1)
REPLACE(new_bind, bpf_sock_addr, 1)
REPLACE(new_option, bpf_sockopt, 1)
REPLACE(new_lookup, bpf_sk_lookup, 1)
REPLACE(new_reuseport, sk_reuseport_md, 1)
REPLACE(new_packet, xdp_md, 2)
