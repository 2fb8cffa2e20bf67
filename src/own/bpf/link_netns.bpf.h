/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_BPF_LINK_NETNS_BPF_H
#define OWN_BPF_LINK_NETNS_BPF_H

#include <stdint.h>

struct link_netns { /* what link_netns.bpf.c writes for each link in a network namespace */
	uint32_t id, ino;
};

#endif
