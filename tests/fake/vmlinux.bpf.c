/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of the kernel of the fake: those that registering operations, iterators and tracepoints need. */
typedef unsigned int __u32;
typedef unsigned long long __u64;

struct sock;
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};
enum bpf_struct_ops_state {
	BPF_STRUCT_OPS_STATE_INIT,
	BPF_STRUCT_OPS_STATE_INUSE,
	BPF_STRUCT_OPS_STATE_TOBEFREE,
	BPF_STRUCT_OPS_STATE_READY,
};
struct bpf_struct_ops_common {
	int refcnt;
	enum bpf_struct_ops_state state;
};
struct bpf_struct_ops_tcp_congestion_ops {
	struct bpf_struct_ops_common common;
	struct tcp_congestion_ops data __attribute__((aligned(64)));
} operations;

struct bpf_map_info {
	__u32 type, id, key_size, value_size, max_entries, map_flags;
	char name[16];
	__u32 ifindex, btf_vmlinux_value_type_id;
	__u64 netns_dev, netns_ino;
	__u32 btf_id, btf_key_type_id, btf_value_type_id, btf_vmlinux_id;
	__u64 map_extra;
} info;

union bpf_iter_link_info {
	struct {
		__u32 map_fd;
	} map;
	struct {
		__u32 order, cgroup_fd;
		__u64 cgroup_id;
	} cgroup;
	struct {
		__u32 tid, pid, pid_fd;
	} task;
} walk;

struct bpf_iter_meta;
struct task_struct {
	int pid, tgid;
};
struct kernfs_node {
	__u64 id;
};
struct cgroup {
	struct kernfs_node *kn;
};
struct bpf_map {
	__u32 id;
};
struct bpf_iter__task {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct task_struct *task;
	};
} task;
struct bpf_iter__cgroup {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct cgroup *cgroup;
	};
} group;
struct bpf_iter__bpf_map {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct bpf_map *map;
	};
} map;
struct bpf_iter__bpf_map_elem {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct bpf_map *map;
	};
	union {
		void *key;
	};
	union {
		void *value;
	};
} elem;
typedef void (*btf_trace_sched_switch)(void *);
btf_trace_sched_switch sched_switch;
typedef void (*btf_trace_sys_enter)(void *);
btf_trace_sys_enter sys_enter;

#define FUNCTION(name) \
	int name(struct bpf_iter_meta *meta) \
	{ \
		return 0; \
	}
FUNCTION(bpf_iter_task)
FUNCTION(bpf_iter_cgroup)
FUNCTION(bpf_iter_bpf_map)
FUNCTION(bpf_iter_bpf_map_elem)
