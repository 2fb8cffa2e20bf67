/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/child.h"

#include <linux/bpf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "base/wait.h"
#include "kernel/bpf.h"
#include "kernel/clock.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* One message: the result, and the descriptor if there is one. */
struct message {
	int result;
	struct iovec part;
	struct msghdr h;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
};

static void message_init(struct message *m)
{
	memset(m, 0, sizeof(*m));
	m->part = (struct iovec){ &m->result, sizeof(m->result) };
	m->h = (struct msghdr){
		.msg_iov = &m->part,
		.msg_iovlen = 1,
		.msg_control = &m->control,
		.msg_controllen = sizeof(m->control),
	};
}

static void message_send(int to, int result)
{
	struct message m;
	struct cmsghdr *c;

	message_init(&m);
	m.result = result < 0 ? result : 0;
	if (result < 0) {
		m.h.msg_control = NULL;
		m.h.msg_controllen = 0;
	} else {
		c = CMSG_FIRSTHDR(&m.h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &result, sizeof(int));
	}
	sendmsg(to, &m.h, MSG_NOSIGNAL);
}

/* 0, and the result of the load in *ret: a descriptor or -errno. Or -errno if there is no message. */
static int message_receive(int from, int *ret)
{
	struct message m;
	struct cmsghdr *c;
	ssize_t n;

	message_init(&m);
	n = recvmsg(from, &m.h, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	if (n != sizeof(m.result))
		return -ECHILD; /* the child was killed */
	*ret = m.result;
	if (m.result)
		return 0;
	c = CMSG_FIRSTHDR(&m.h);
	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EMFILE;
	memcpy(ret, CMSG_DATA(c), sizeof(*ret));
	return 0;
}

static void close_span(unsigned first, unsigned last)
{
	struct rlimit limit;

	if (first > last || !syscall(SYS_close_range, first, last, 0))
		return;
	/* before Linux 5.9 */
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 1 << 20)
		limit.rlim_cur = 1 << 20;
	for (; first <= last && first < limit.rlim_cur; first++)
		close((int)first);
}

void child_close_others(const int *keep, size_t n)
{
	unsigned from = 0;

	for (;;) {
		unsigned next = UINT32_MAX;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next == UINT32_MAX)
			break;
		if (next)
			close_span(from, next - 1);
		from = next + 1;
	}
	close_span(from, UINT32_MAX);
}

/* No function here may take a lock, because another thread may have held it at the fork(). */
static void child_main(union bpf_attr *attr, size_t size, const int *keep, size_t n, int to)
{
	int all[16];

	n = n < ARRAY_SIZE(all) - 1 ? n : ARRAY_SIZE(all) - 1;
	memcpy(all, keep, n * sizeof(*keep));
	all[n++] = to;
	child_close_others(all, n);
	message_send(to, sys_bpf_new(BPF_PROG_LOAD, attr, size));
	_exit(0);
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / NSEC_PER_MSEC);
}

/* Not poll(2): the tests take a command that sleeps in poll(2) for one that waits for its user or for events. */
static int answer_wait(int from, int limit)
{
	const int64_t end = now_ms() + limit;
	int64_t left = limit;
	int err, ret = -ECHILD;

	do {
		struct timeval t = { left / 1000, left % 1000 * 1000 };

		if (setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)))
			return -errno;
		err = message_receive(from, &ret);
		left = end - now_ms();
	} while (err == -EINTR && left > 0);
	if (err == -EINTR || err == -EAGAIN)
		return -ETIME;
	return err ? err : ret;
}

int child_prog_load(union bpf_attr *attr, size_t size, const int *keep, size_t n, int limit)
{
	CLEAN_FD ours = -1;
	CLEAN_FD its = -1;
	int pair[2], ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ours = pair[0];
	its = pair[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		child_main(attr, size, keep, n, its);
	clean_fd(&its);
	its = -1;
	ret = answer_wait(ours, limit);
	if (ret == -ETIME)
		kill(pid, SIGKILL);
	wait_child(pid, ret == -ETIME ? CHILD_KILLED_MS : WAIT_END);
	return ret;
}
