/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/task.bpf.h"
#include "own/sockets.h"

OFFSET(file, f_inode);
OFFSET(file, private_data);
OFFSET(inode, i_mode);
OFFSET(inode, i_ino);
OFFSET(socket, sk);
OFFSET(socket, ops); /* other structs are also called socket */
OFFSET(sock, sk_filter);
OFFSET(sock, sk_reuseport_cb);
OFFSET(sk_filter, prog);
OFFSET(sock_reuseport, prog);
OFFSET(bpf_prog, orig_prog);
OFFSET(bpf_prog, aux);
OFFSET(bpf_prog_aux, id);
OFFSET(sock_fprog_kern, len);

enum { IFMT = 0170000, IFSOCK = 0140000 };

static __always_inline void filter_write(struct iter_task_file *ctx, struct own_socket_filter *e, const char *prog)
{
	const char *p = 0;

	if (!prog)
		return;
	PROBE(p, prog, bpf_prog, aux);
	PROBE(e->prog_id, p, bpf_prog_aux, id);
	PROBE(p, prog, bpf_prog, orig_prog);
	e->ninsns = 0;
	if (!e->prog_id)
		PROBE(e->ninsns, p, sock_fprog_kern, len);
	bpf_seq_write(ctx->meta->seq, e, sizeof(*e));
}

SEC("iter/task_file") int socket_filters(struct iter_task_file *ctx)
{
	const char *task = ctx->task, *file = ctx->file, *sk = 0, *p = 0;
	struct own_socket_filter e = { 0 };
	unsigned long ino = 0;
	__u16 mode = 0;

	if (!task || !file)
		return 0;
	PROBE(p, file, file, f_inode);
	PROBE(mode, p, inode, i_mode);
	if ((mode & IFMT) != IFSOCK)
		return 0;
	PROBE(ino, p, inode, i_ino);
	PROBE(p, file, file, private_data);
	PROBE(sk, p, socket, sk);
	e.ino = ino;
	e.pid = pid_of(task);
	e.fd = ctx->fd;
	PROBE(p, sk, sock, sk_filter);
	if (p)
		PROBE(p, p, sk_filter, prog);
	filter_write(ctx, &e, p);
	PROBE(p, sk, sock, sk_reuseport_cb);
	if (p)
		PROBE(p, p, sock_reuseport, prog);
	e.is_reuseport = 1;
	filter_write(ctx, &e, p);
	return 0;
}
