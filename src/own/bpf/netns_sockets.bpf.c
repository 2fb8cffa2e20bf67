/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/sockets.h"
#include "own/bpf/program.bpf.h"
#include "own/bpf/task.bpf.h"

OFFSET(file, f_inode);
OFFSET(file, private_data);
OFFSET(inode, i_mode);
OFFSET(inode, i_sb);
OFFSET(inode, i_private);
OFFSET(super_block, s_magic);
OFFSET(task_struct, nsproxy);
OFFSET(nsproxy, net_ns);
OFFSET(socket, sk);
OFFSET(socket, ops); /* other structs are also called socket */
OFFSET(sock, __sk_common);
OFFSET(sock_common, skc_net);
OFFSET(net, ns);
OFFSET(net, loopback_dev);
OFFSET(ns_common, inum);
OFFSET(ns_common, ops);
const volatile __u32 but; /* the namespace to leave out */

enum { IFMT = 0170000, IFSOCK = 0140000, IFREG = 0100000, NSFS = 0x6e736673 };

static __always_inline __u32 of_socket(const char *file)
{
	const char *p = 0;
	__u32 ino = 0;

	PROBE(p, file, file, private_data);
	PROBE(p, p, socket, sk);
	PROBE(p, p + at__sock____sk_common, sock_common, skc_net);
	PROBE(ino, p + at__net__ns, ns_common, inum);
	return ino;
}

/* A namespace file (nsfs) is of a network namespace if it has the operations of the reader's own network namespace. */
static __always_inline __u32 of_nsfs(const char *inode)
{
	const char *p = 0, *ops = 0, *ours = 0;
	unsigned long magic = 0;
	__u32 ino = 0;

	PROBE(p, inode, inode, i_sb);
	PROBE(magic, p, super_block, s_magic);
	if (magic != NSFS)
		return 0;
	PROBE(p, (const char *)bpf_get_current_task(), task_struct, nsproxy);
	PROBE(p, p, nsproxy, net_ns);
	PROBE(ours, p + at__net__ns, ns_common, ops);
	PROBE(p, inode, inode, i_private);
	PROBE(ops, p, ns_common, ops);
	if (ops == ours)
		PROBE(ino, p, ns_common, inum);
	return ino;
}

SEC("iter/task_file") int netns_of_sockets(struct iter_task_file *ctx)
{
	const char *task = ctx->task, *file = ctx->file, *inode = 0;
	struct netns_file e = { 0 };
	__u16 mode = 0;

	if (!task || !file)
		return 0;
	/* Not a plain load, because for each pointer the verifier searches all names of the kernel's types. */
	PROBE(inode, file, file, f_inode);
	PROBE(mode, inode, inode, i_mode);
	e.is_socket = (mode & IFMT) == IFSOCK;
	if (e.is_socket)
		e.ino = of_socket(file);
	else if ((mode & IFMT) == IFREG)
		e.ino = of_nsfs(inode);
	if (!e.ino || e.ino == but)
		return 0;
	e.pid = pid_of(task);
	e.fd = ctx->fd;
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
