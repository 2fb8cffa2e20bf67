/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/task.bpf.h"
#include "own/sockets.h"

OFFSET(task_struct, nsproxy);
OFFSET(nsproxy, net_ns);
OFFSET(nsproxy, mnt_ns);
OFFSET(net, ns);
OFFSET(net, loopback_dev); /* other structs are also called net */
OFFSET(mnt_namespace, ns);
OFFSET(ns_common, inum);

struct iter_task { /* struct bpf_iter__task */
	struct iter_meta *meta;
	const char *task;
};

/* Each process, and its threads that are in other namespaces. */
SEC("iter/task") int netns_of_tasks(struct iter_task *ctx)
{
	const char *task = ctx->task, *leader = 0, *of = 0, *of_leader = 0, *p = 0;
	struct netns_task e = { 0 };

	if (!task)
		return 0;
	PROBE(leader, task, task_struct, group_leader);
	PROBE(of, task, task_struct, nsproxy);
	PROBE(of_leader, leader, task_struct, nsproxy);
	/* A task that ends has none. */
	if (!of || (leader != task && of == of_leader))
		return 0;
	PROBE(p, of, nsproxy, net_ns);
	PROBE(e.net, p + at__net__ns, ns_common, inum);
	PROBE(p, of, nsproxy, mnt_ns);
	PROBE(e.mnt, p + at__mnt_namespace__ns, ns_common, inum);
	e.pid = tid_of(leader);
	e.tid = tid_of(task);
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
