/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/netns_sockets.h"
#include "own/program.bpf.h"
#include "own/task.bpf.h"

OFFSET(file, f_inode);
OFFSET(file, private_data);
OFFSET(inode, i_mode);
OFFSET(socket, sk);
OFFSET(socket, ops);			/* other structs are called socket, too */
OFFSET(sock, __sk_common);
OFFSET(sock_common, skc_net);
OFFSET(net, ns);
OFFSET(net, loopback_dev);
OFFSET(ns_common, inum);
const volatile __u32 but;		/* the namespace that is left out */

enum { IFMT = 0170000, IFSOCK = 0140000 };

struct iter_task_file {			/* struct bpf_iter__task_file */
	struct iter_meta *meta;
	const char *task;
	__u32 fd __attribute__((aligned(8)));
	const char *file;
};

SEC("iter/task_file") int netns_of_sockets(struct iter_task_file *ctx)
{
	const char *task = ctx->task, *file = ctx->file, *p;
	struct netns_socket e = { 0 };
	__u16 mode = 0;

	if (!task || !file)
		return 0;
	p = READ(p, file, file, f_inode);
	PROBE(mode, p, inode, i_mode);
	if ((mode & IFMT) != IFSOCK)
		return 0;
	PROBE(p, file, file, private_data);
	PROBE(p, p, socket, sk);
	PROBE(p, p + at__sock____sk_common, sock_common, skc_net);
	PROBE(e.ino, p + at__net__ns, ns_common, inum);
	if (!e.ino || e.ino == but)
		return 0;
	e.pid = pid_of(task);
	e.fd = ctx->fd;
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
