/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct link_netns { /* what link_netns.bpf.c writes for each link in a network namespace */
	uint32_t id, ino;
};
