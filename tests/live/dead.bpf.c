/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps whose keys name processes, cgroups, namespaces and devices; test_dead.py fills them. */
#include "types.bpf.h"

#define DEAD_MAP(name, t, k, v) \
	struct { \
		__uint(type, t); \
		__uint(max_entries, 64); \
		__type(key, k); \
		__type(value, v); \
	} name SEC(".maps")

typedef int pid_t;
struct task_key {
	__u32 pid;
	__u32 kind;
};
struct net_key {
	__u64 netns;
	__u32 ifindex;
	__u32 hash;
};
struct cgroup_key {
	__u64 cgroup_id;
};
struct owner {
	__u32 pid;
	__u32 n;
};
DEAD_MAP(dm_task, MAP_HASH, struct task_key, __u64);
DEAD_MAP(dm_pid, MAP_PERCPU_HASH, pid_t, __u64);
DEAD_MAP(dm_both, MAP_HASH, __u64, __u64);
DEAD_MAP(dm_net, MAP_HASH, struct net_key, __u64);
DEAD_MAP(dm_cgroup, MAP_HASH, struct cgroup_key, __u64);
DEAD_MAP(dm_owner, MAP_HASH, __u32, struct owner);

SEC("xdp") int dm_prog(void *ctx)
{
	return 2;
}
