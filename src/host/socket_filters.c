/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/socket_filters.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "host/proc.h"
#include "kernel/hooks.h"
#include "own/own.h"
#include "own/files.h"

#define CODE_MAX (16u << 20) /* bytes of instructions in the answer; the rest is only counted */

struct sockets {
	struct str *ret;
	struct hash seen; /* children share the sockets of their parents */
	DIR *root;
	uint32_t pid; /* the process that is open; 0: none */
	int process;  /* its pidfd, or -errno */
	size_t code;  /* bytes of instructions */
	struct sock_filter insns[BPF_MAXINSNS];
};

static void process_open(struct sockets *s, uint32_t pid)
{
	if (s->pid == pid)
		return;
	clean_fd(&s->process);
	s->process = proc_pidfd((pid_t)pid);
	s->pid = pid;
}

/* The number of instructions of a socket's classic filter, 0: none; -EACCES: it is not a classic one. */
static int insns_read(struct sockets *s, uint32_t fd, uint64_t ino)
{
	CLEAN_FD sock = s->process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, s->process, fd, 0);
	socklen_t n = BPF_MAXINSNS;
	struct stat st;

	if (s->process < 0)
		return s->process;
	if (sock < 0)
		return errno == EBADF ? -ENOENT : -errno;
	if (fstat(sock, &st))
		return -errno;
	if (st.st_ino != ino)
		return -ENOENT; /* the descriptor is another file now */
	if (getsockopt(sock, SOL_SOCKET, SO_GET_FILTER, s->insns, &n))
		return -errno;
	return n > BPF_MAXINSNS ? -EBADMSG : (int)n;
}

/* @prog: its program, "0" for a classic filter, or "?"; @n: how many of its instructions are known. */
static void filter_write(struct sockets *s, const struct own_socket_filter *f, const char *prog, int n)
{
	char path[32], comm[17] = "";
	size_t start;

	snprintf(path, sizeof(path), "%u/comm", f->pid);
	proc_comm(dirfd(s->root), path, comm);
	str_fmt(s->ret, "%u %u %s %s ", f->pid, f->fd, hook_of(HOOK_SOCKET, f->is_reuseport)->word, prog);
	str_escape(s->ret, *comm ? comm : "-");
	start = s->ret->n;
	str_fmt(s->ret, " %u", n > 0 ? (unsigned)n : f->ninsns);
	for (int i = 0; i < n && s->code < CODE_MAX; i++) {
		const struct sock_filter *at = &s->insns[i];

		str_fmt(s->ret, ",%u %u %u %u", at->code, at->jt, at->jf, at->k);
	}
	s->code += s->ret->n - start;
	str_puts(s->ret, "\n");
}

static bool is_new(struct sockets *s, const struct own_socket_filter *f)
{
	void **slot = hash_put(&s->seen, f->ino << 1 | f->is_reuseport);

	if (*slot)
		return false;
	*slot = s;
	return true;
}

static int by_iterator(struct sockets *s, struct own *own)
{
	struct own_socket_filter f;
	STR all = { 0 };
	int err = own_files(own, OWN_FILE_FILTER, &all);

	for (size_t at = 0; !err && own_record(&all, &at, &f, sizeof(f));) {
		char prog[16];
		int n = 0;

		if (!is_new(s, &f))
			continue;
		if (!f.prog_id && !f.is_reuseport) {
			process_open(s, f.pid);
			n = insns_read(s, f.fd, f.ino);
		}
		snprintf(prog, sizeof(prog), "%u", f.prog_id);
		filter_write(s, &f, prog, n == f.ninsns ? n : 0);
	}
	return err;
}

/* 0, or why it is not known whether the socket has a filter. */
static int socket_ask(struct sockets *s, const struct own_socket_filter *f)
{
	int n;

	process_open(s, f->pid);
	n = insns_read(s, f->fd, f->ino);
	if ((n > 0 || n == -EACCES) && is_new(s, f))
		filter_write(s, f, n > 0 ? "0" : "?", n);
	return n > 0 || n == -EACCES || proc_is_gone(n) ? 0 : n;
}

/* 0, or the first reason why a socket is not known. */
static int process_ask(struct sockets *s, uint32_t pid)
{
	struct own_socket_filter f = { .pid = pid };
	CLEAN_DIR *fds = NULL;
	const struct dirent *d;
	int first = 0;
	char text[40];

	snprintf(text, sizeof(text), "%u/fd", pid);
	fds = proc_dir(dirfd(s->root), text);
	while (errno = 0, fds && (d = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), d->d_name, text, sizeof(text) - 1);
		unsigned long long ino;
		int err;

		text[n > 0 ? n : 0] = '\0';
		if (sscanf(text, "socket:[%llu]", &ino) != 1 || num_parse_u32(d->d_name, &f.fd))
			continue;
		f.ino = ino;
		err = socket_ask(s, &f);
		first = first ? first : err;
	}
	return first ? first : -errno;
}

static int by_proc(struct sockets *s)
{
	const struct dirent *d;
	uint32_t pid;

	while (errno = 0, (d = readdir(s->root))) {
		int err = num_parse_u32(d->d_name, &pid) ? 0 : process_ask(s, pid);

		if (err == -ENOSYS) /* before Linux 5.6 */
			return err;
		if (err && !proc_is_gone(err))
			str_fmt(s->ret, "? %u %d\n", pid, -err);
	}
	return -errno;
}

int socket_filters_collect(struct own *own, struct str *ret)
{
	ARENA a = arena_new();
	CLEAN_DIR *root = proc_dir(AT_FDCWD, "/proc");
	struct sockets *s = arena_alloc(a, sizeof(*s));
	int err, outside;

	if (!root)
		return -errno;
	*s = (struct sockets){ .ret = ret, .root = root, .process = -1 };
	hash_init(&s->seen, a);
	err = by_iterator(s, own) ? by_proc(s) : 0;
	clean_fd(&s->process);
	outside = err ? 0 : proc_outside();
	if (outside)
		str_fmt(ret, "? 0 %d\n", -outside);
	return err;
}
