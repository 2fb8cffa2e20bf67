/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record/field.h"

struct env;
/* The network device that an offloaded program or map is bound to. */
struct object_dev {
	uint32_t ifindex;
	uint64_t ns_dev, ns_inode;
	const char *ifname; /* NULL: not in our network namespace, or unknown */
};
struct object_offload {
	const struct object_dev *dev;
	uint32_t ndev; /* 0 or 1 */
};
#define FIELD_DEV(T, m, ...) \
	FIELD_ROWS(T, m.dev, m.ndev, &schema_dev, "dev", "device that it is offloaded to", \
		   .plain = "  offloaded_to %", .flags = FIELD_NONZERO | FIELD_SINGLE, ##__VA_ARGS__)
extern const struct schema schema_dev;

/* Convert the info struct's members with these names; ifindex 0: no device. Valid as long as @a and env->machine. */
void object_offload_read(struct env *env, struct arena *a, uint32_t ifindex, uint64_t netns_dev, uint64_t netns_ino,
			 struct object_offload *ret);
