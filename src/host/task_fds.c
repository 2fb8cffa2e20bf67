/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/task_fds.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>

#include "kernel/bpf.h"
#include "host/proc.h"
#include "own/own.h"
#include "own/files.h"

#define NAME_START 512
#define NAME_MAX_BYTES (64u << 10)

/* As in holders.c; here a file and a process cost less. */
enum { PROCESS_US = 15, FILE_US = 1, ITERATOR_US = 3000 };

struct collector {
	struct str *ret;
	struct str name; /* room for one name */
	uint32_t n;
};

static int query(struct collector *c, uint32_t pid, uint32_t fd, struct task_fd_raw *ret)
{
	for (size_t room = NAME_START; room <= NAME_MAX_BYTES; room *= 2) {
		union bpf_attr attr;
		int err;

		memset(&attr, 0, sizeof(attr));
		attr.task_fd_query.pid = pid;
		attr.task_fd_query.fd = fd;
		str_reset(&c->name);
		str_reserve(&c->name, room);
		attr.task_fd_query.buf = (uintptr_t)c->name.p;
		attr.task_fd_query.buf_len = (uint32_t)room;
		err = sys_bpf(BPF_TASK_FD_QUERY, &attr, sizeof(attr.task_fd_query));
		if (err == -ENOSPC)
			continue;
		if (err < 0)
			return err;
		ret->prog_id = attr.task_fd_query.prog_id;
		ret->type = attr.task_fd_query.fd_type;
		ret->offset = attr.task_fd_query.probe_offset;
		ret->addr = attr.task_fd_query.probe_addr;
		c->name.p[room - 1] = '\0';
		ret->name_len = c->name.p[0] ? (uint32_t)strlen(c->name.p) + 1 : 0;
		return 0;
	}
	return -ENAMETOOLONG;
}

static void fd_add(struct collector *c, struct task_fd_raw *raw)
{
	static const char zeros[8];

	raw->file = c->n++;
	str_add(c->ret, raw, sizeof(*raw));
	str_add(c->ret, c->name.p, raw->name_len);
	str_add(c->ret, zeros, -raw->name_len & 7);
}

/* Most descriptors are other files, and some are gone meanwhile. */
static bool is_no_event(int err)
{
	return err == -ENOTSUPP || err == -EBADF || proc_is_gone(err);
}

/* 0, or the reason why it is not known whether the descriptor runs a program, and in which process. */
static int descriptor(struct collector *c, int root, struct task_fd_raw *raw)
{
	int err = 0;

	/* The query is cheaper than looking up the type of the descriptor: 0.3 us instead of 1 us. */
	raw->name_len = raw->prog_id = raw->type = 0;
	raw->offset = raw->addr = 0;
	raw->err = query(c, raw->pid, raw->fd, raw);
	if (raw->err && raw->err != -EOPNOTSUPP && raw->err != -ENAMETOOLONG)
		return is_no_event(raw->err) ? 0 : raw->err;
	if (!raw->comm[0]) {
		char path[32];

		snprintf(path, sizeof(path), "%u/comm", raw->pid);
		err = proc_comm(root, path, raw->comm);
	}
	fd_add(c, raw);
	return proc_is_gone(err) ? 0 : err;
}

/* struct linux_dirent64 of getdents64(2), which is in no header; not every libc declares it. */
struct dir_entry {
	uint64_t ino;
	int64_t off;
	unsigned short size;
	unsigned char type;
	char name[];
};

/*
 * There are many processes, and most have few descriptors, so make as few system calls as possible. 0, or the first
 * reason why a descriptor is not known.
 */
static int descriptors(struct collector *c, int root, uint32_t pid)
{
	struct task_fd_raw raw = { .pid = pid };
	_Alignas(struct dir_entry) char buf[8192];
	CLEAN_FD fds = -1;
	int err, first = 0;
	ssize_t n;

	snprintf(buf, sizeof(buf), "%u/fd", pid);
	fds = openat(root, buf, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fds < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, fds, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dir_entry *d = (const void *)(buf + at);

			at += d->size;
			err = num_parse_u32(d->name, &raw.fd) ? 0 : descriptor(c, root, &raw);
			first = first ? first : err;
		}
	}
	return first || !n ? first : -errno;
}

static void process_end(struct collector *c, uint32_t pid, int err)
{
	struct task_fd_raw unseen = { .pid = pid, .fd = TASK_FD_NONE, .err = err };

	if (err && !proc_is_gone(err))
		fd_add(c, &unseen);
}

/* Query only the descriptors that may run a program. */
static int by_iterator(struct collector *c, int root, struct own *own)
{
	const uint32_t self = (uint32_t)getpid();
	struct task_fd_raw raw = { 0 };
	struct own_task_fd e;
	STR all = { 0 };
	int err = own_files(own, OWN_FILE_EVENT, &all), first = 0;

	for (size_t at = 0; !err && own_record(&all, &at, &e, sizeof(e));) {
		int why;

		if (e.pid == self)
			continue;
		if (e.pid != raw.pid) {
			process_end(c, raw.pid, first);
			raw = (struct task_fd_raw){ .pid = e.pid };
			first = 0;
		}
		raw.fd = e.fd;
		why = descriptor(c, root, &raw);
		first = first ? first : why;
	}
	process_end(c, raw.pid, first);
	return err;
}

static int by_proc(struct collector *c, DIR *root)
{
	const uint32_t self = (uint32_t)getpid();
	const struct dirent *d;
	uint32_t pid;

	while (errno = 0, (d = readdir(root)))
		if (!num_parse_u32(d->d_name, &pid) && pid != self)
			process_end(c, pid, descriptors(c, dirfd(root), pid));
	return -errno;
}

static struct task_fd_raw *entry_at(const struct str *s, size_t at)
{
	return (struct task_fd_raw *)(void *)(s->p + at);
}

static size_t entry_size(const struct task_fd_raw *raw)
{
	return sizeof(*raw) + raw->name_len + (-raw->name_len & 7);
}

/* The order of open files in the kernel does not change until the next boot. */
static int by_file(const void *pa, const void *pb)
{
	struct task_fd_raw *const *a = pa, *const *b = pb;
	const struct task_fd_raw *x = *a, *y = *b;
	long order = 0;

	if (x->prog_id != y->prog_id || x->type != y->type)
		return NUM_CMP(x->prog_id, y->prog_id) ?: NUM_CMP(x->type, y->type);
	if (x->pid != y->pid || x->fd != y->fd)
		order = syscall(SYS_kcmp, x->pid, y->pid, KCMP_FILE, x->fd, y->fd);
	if (order == 1 || order == 2)
		return order == 1 ? -1 : 1;
	/* The same file, or the kernel gave no answer. */
	return NUM_CMP(x->file, y->file);
}

/* *ret_err: why kcmp(2) gave no answer; a kernel without it is not an error. */
static bool same_file(const struct task_fd_raw *x, const struct task_fd_raw *y, int *ret_err)
{
	long order;

	if (x->prog_id != y->prog_id || x->type != y->type)
		return false;
	order = syscall(SYS_kcmp, x->pid, y->pid, KCMP_FILE, x->fd, y->fd);
	if (order < 0 && errno != ENOSYS && errno != EBADF && errno != ESRCH)
		*ret_err = -errno;
	return !order;
}

/* Children share their parents' descriptors: one open file with several descriptors is one attachment. */
static void find_twins(struct collector *c, size_t start)
{
	struct task_fd_raw **sorted = calloc(c->n ? c->n : 1, sizeof(struct task_fd_raw *));
	struct task_fd_raw unseen = { .fd = TASK_FD_NONE };
	size_t n = 0, at, i;

	if (!sorted)
		arena_die(c->n * sizeof(*sorted));
	for (at = start; at < c->ret->n; at += entry_size(entry_at(c->ret, at)))
		if (entry_at(c->ret, at)->fd != TASK_FD_NONE)
			sorted[n++] = entry_at(c->ret, at);
	qsort(sorted, n, sizeof(*sorted), by_file);
	for (i = 1; i < n; i++) {
		if (same_file(sorted[i - 1], sorted[i], &unseen.err))
			sorted[i]->file = sorted[i - 1]->file;
		else if (unseen.err && !unseen.pid)
			unseen.pid = sorted[i]->pid;
	}
	free(sorted);
	if (unseen.err)
		fd_add(c, &unseen);
}

int task_fds_collect(struct own *own, struct str *ret)
{
	struct collector c = { .ret = ret };
	CLEAN_DIR *root = opendir("/proc");
	struct task_fd_raw probe = { 0 };
	size_t start = ret->n;
	int err;

	if (!root)
		return -errno;
	err = query(&c, (uint32_t)getpid(), (uint32_t)dirfd(root), &probe);
	if (err != -ENOTSUPP) {
		str_release(&c.name);
		return err ? err : -EINVAL;
	}
	err = !own->keep && !own_files_waits(own, OWN_FILE_EVENT) &&
			      proc_walk_us(proc_files(), PROCESS_US, FILE_US) <= ITERATOR_US ?
		      -ENOENT :
		      by_iterator(&c, dirfd(root), own);
	err = err ? by_proc(&c, root) : 0;
	if (!err)
		process_end(&c, 0, proc_outside());
	find_twins(&c, start);
	str_release(&c.name);
	return err;
}

int task_fds_parse(const void *p, size_t n, struct arena *a, const struct task_fd **ret, size_t *ret_n)
{
	struct task_fd *all = arena_array(a, n / sizeof(struct task_fd_raw), sizeof(*all));
	const char *at = p;
	struct task_fd_raw raw;

	*ret = all;
	*ret_n = 0;
	while (n >= sizeof(raw)) {
		struct task_fd *t = &all[*ret_n];

		memcpy(&raw, at, sizeof(raw));
		if (raw.name_len > n - sizeof(raw) || entry_size(&raw) > n)
			break;
		*t = (struct task_fd){
			.pid = raw.pid,
			.fd = raw.fd,
			.err = raw.err,
			.prog_id = raw.prog_id,
			.type = raw.type,
			.file = raw.file,
			.offset = raw.offset,
			.addr = raw.addr,
			.name = arena_str(a, at + sizeof(raw), raw.name_len),
		};
		memcpy(t->comm, raw.comm, sizeof(raw.comm));
		at += entry_size(&raw);
		n -= entry_size(&raw);
		(*ret_n)++;
	}
	return n ? -EBADMSG : 0;
}
