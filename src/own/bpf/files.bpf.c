/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/file.bpf.h"
#include "own/bpf/task.bpf.h"
#include "own/files.h"

OFFSET(file, private_data);
OFFSET(inode, i_mode);
OFFSET(inode, i_ino);
OFFSET(inode, i_private);
OFFSET(task_struct, nsproxy);
OFFSET(nsproxy, net_ns);
OFFSET(socket, sk);
OFFSET(socket, ops); /* other structs are also called socket */
OFFSET(sock, __sk_common);
OFFSET(sock, sk_filter);
OFFSET(sock, sk_reuseport_cb);
OFFSET(sock_common, skc_net);
OFFSET(sk_filter, prog);
OFFSET(sock_reuseport, prog);
OFFSET(bpf_prog, orig_prog);
OFFSET(bpf_prog, aux);
OFFSET(bpf_prog_aux, id);
OFFSET(sock_fprog_kern, len);
OFFSET(net, ns);
OFFSET(net, loopback_dev); /* other structs are also called net */
OFFSET(ns_common, inum);
OFFSET(ns_common, ops);
const volatile __u32 but; /* the network namespace to leave out */

enum { IFMT = 0170000, IFREG = 0100000, IFSOCK = 0140000, NSFS = 0x6e736673 };

/* The file of the walk. */
struct found {
	struct iter_task_file *ctx;
	const char *task, *file, *inode;
};

#define WRITE(f, what_, e_) \
	do { \
		struct { \
			struct own_file_head head; \
			typeof(e_) e; \
		} r_ = { { what_, sizeof(e_) }, e_ }; \
		bpf_seq_write((f)->ctx->meta->seq, &r_, sizeof(r_)); \
	} while (0)

/* "[perf_event]", "bpf_link", "bpf-link", "bpf-raw-tracepoint"; other anonymous files run no program. */
static __always_inline int may_be_event(const char *file)
{
	char word[8];

	file_word(file, word);
	if (word[0] == '[')
		return word[1] == 'p' && word[2] == 'e';
	return word[0] == 'b' && word[1] == 'p' && word[4] != 'p' && word[4] != 'm';
}

static __always_inline void event(const struct found *f)
{
	struct own_task_fd e = { .fd = f->ctx->fd };
	const char *leader = 0;

	if (!may_be_event(f->file))
		return;
	/* /proc/PID/fd shows the table of the leader. */
	PROBE(leader, f->task, task_struct, group_leader);
	if (leader != f->task)
		return;
	e.pid = tid_of(f->task);
	WRITE(f, OWN_FILE_EVENT, e);
}

static __always_inline void netns(const struct found *f, __u32 ino, int is_socket)
{
	struct netns_file e = { 0, f->ctx->fd, ino, is_socket };

	if (!ino || ino == but)
		return;
	e.pid = pid_of(f->task);
	WRITE(f, OWN_FILE_NETNS, e);
}

/* A namespace file (nsfs) is of a network namespace if it has the operations of the reader's own network namespace. */
static __always_inline void nsfs(const struct found *f)
{
	const char *p = 0, *ops = 0, *ours = 0;
	__u32 ino = 0;

	PROBE(p, (const char *)bpf_get_current_task(), task_struct, nsproxy);
	PROBE(p, p, nsproxy, net_ns);
	PROBE(ours, p + at__net__ns, ns_common, ops);
	PROBE(p, f->inode, inode, i_private);
	PROBE(ops, p, ns_common, ops);
	if (ops != ours)
		return;
	PROBE(ino, p, ns_common, inum);
	netns(f, ino, 0);
}

static __always_inline void filter(const struct found *f, const char *prog, int is_reuseport)
{
	struct own_socket_filter e = { .fd = f->ctx->fd, .is_reuseport = is_reuseport };
	unsigned long ino = 0;
	const char *p = 0;

	if (!prog)
		return;
	PROBE(ino, f->inode, inode, i_ino);
	e.ino = ino;
	e.pid = pid_of(f->task);
	PROBE(p, prog, bpf_prog, aux);
	PROBE(e.prog_id, p, bpf_prog_aux, id);
	PROBE(p, prog, bpf_prog, orig_prog);
	if (!e.prog_id)
		PROBE(e.ninsns, p, sock_fprog_kern, len);
	WRITE(f, OWN_FILE_FILTER, e);
}

static __always_inline void socket(const struct found *f)
{
	const char *sk = 0, *p = 0;
	__u32 ino = 0;

	PROBE(p, f->file, file, private_data);
	PROBE(sk, p, socket, sk);
	PROBE(p, sk + at__sock____sk_common, sock_common, skc_net);
	PROBE(ino, p + at__net__ns, ns_common, inum);
	netns(f, ino, 1);
	PROBE(p, sk, sock, sk_filter);
	if (p)
		PROBE(p, p, sk_filter, prog);
	filter(f, p, 0);
	PROBE(p, sk, sock, sk_reuseport_cb);
	if (p)
		PROBE(p, p, sock_reuseport, prog);
	filter(f, p, 1);
}

SEC("iter/task_file") int files(struct iter_task_file *ctx)
{
	struct found f = { ctx, ctx->task, ctx->file, 0 };
	unsigned long magic;
	__u16 mode = 0;

	if (!f.task || !f.file)
		return 0;
	/* Not a plain load, because for each pointer the verifier searches all names of the kernel's types. */
	PROBE(f.inode, f.file, file, f_inode);
	PROBE(mode, f.inode, inode, i_mode);
	mode &= IFMT;
	if (mode == IFSOCK)
		socket(&f);
	/* Anonymous files have no type, or in newer kernels that of regular files, as namespaces have. */
	if (mode && mode != IFREG)
		return 0;
	magic = inode_magic(f.inode);
	if (magic == ANON_INODE_FS)
		event(&f);
	else if (magic == NSFS)
		nsfs(&f);
	return 0;
}
