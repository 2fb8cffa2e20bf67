/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/task.bpf.h"

/*
 * The exit of every system call, in the context of the caller, before it gets the descriptor. A raw tracepoint, because
 * a perf tracepoint is skipped while a map is changed on the same CPU, and does not see the calls of 32-bit programs.
 */
const volatile __u32 nr_bpf, nr_bpf_compat, nr_setsockopt, nr_seccomp, nr_prctl;
const volatile __u32 bind_only; /* another hook sees the loads */

enum { PROG_LOAD = 5, PROG_RUN = 10, PROG_BIND_MAP = 35, SYSCALL = 31, FDS = 4096, FDS_SOME = 64 };
enum {
	SOL_SOCKET = 1,
	SO_ATTACH_FILTER = 26,
	SO_ATTACH_REUSEPORT_CBPF = 51,
	PR_SET_SECCOMP = 22,
	FILTER = 2,
	SET_MODE_FILTER = 1
};

OFFSET(socket, sk);
OFFSET(sock, sk_filter);
OFFSET(sock, sk_reuseport_cb);
OFFSET(sk_filter, prog);
OFFSET(sock_reuseport, prog);
OFFSET(task_struct, migration_disabled) __weak;
OFFSET(task_struct, seccomp) __weak;
OFFSET(seccomp, filter) __weak;
OFFSET(seccomp_filter, prog) __weak;

/* Programs loaded by a loader program have descriptors that no system call returned. */
GLOBAL int scan_one(__u64 fd_table, __u32 fd)
{
	const struct fds fds = { fd_table, fd + 1 };
	const char *prog = prog_of(file_of(&fds, fd));

	return prog ? copy((__u64)prog, CAPTURE_SCANNED) : 0;
}

GLOBAL int scan_some(__u64 fd_table, __u32 first, __u32 max)
{
	for (__u32 i = 0; i < FDS_SOME; i++) {
		if (first + i >= max)
			break;
		scan_one(fd_table, first + i);
	}
	return 0;
}

/* Not inlined, to save stack: nested functions share 512 bytes. */
GLOBAL int bound(__u64 attr)
{
	const struct fds fds = fds_mine();
	struct {
		__u32 prog, map;
	} ask = { 0 };
	struct {
		struct capture_head head;
		__u32 map, pad;
	} r = { 0 };
	const char *prog, *aux = 0, *map = 0;
	const struct capture_seen *copied;
	__u32 id = 0;

	if (bpf_probe_read_user(&ask, sizeof(ask), (const void *)attr))
		return 0;
	prog = prog_of(file_of(&fds, ask.prog));
	PROBE(aux, prog, bpf_prog, aux);
	PROBE(id, aux, bpf_prog_aux, id);
	PROBE(map, file_of(&fds, ask.map), file, private_data);
	PROBE(r.map, map, bpf_map, id);
	head_set(&r.head, CAPTURE_BIND, 0, id, bpf_ktime_get_boot_ns());
	copied = bpf_map_lookup_elem(&seen, &id);
	if (copied)
		r.head.batch = copied->batch;
	return send_record(&r, sizeof(r));
}

static __always_inline void ran(const struct fds *fds, __u64 attr)
{
	const char *prog;
	__u32 fd = 0, type = 0;

	bpf_probe_read_user(&fd, sizeof(fd), (const void *)attr);
	prog = prog_of(file_of(fds, fd));
	PROBE(type, prog, bpf_prog, type);
	if (!prog || type != SYSCALL)
		return;
	for (__u32 first = 0; first < FDS; first += FDS_SOME) {
		if (first >= fds->max)
			break;
		scan_some(fds->fd, first, fds->max);
	}
}

static __always_inline void bpf_done(const struct call *c, __s64 ret)
{
	const struct fds fds = fds_mine();
	const char *prog;

	switch ((__u32)c->arg[0]) {
	case PROG_LOAD:
		prog = bind_only ? 0 : prog_of(file_of(&fds, ret));
		if (prog)
			copy((__u64)prog, CAPTURE_LOADED);
		break;
	case PROG_BIND_MAP:
		bound(c->arg[1]);
		break;
	case PROG_RUN:
		if (!bind_only)
			ran(&fds, c->arg[1]);
		break;
	}
}

/* enum capture_way; 0: the call did not attach a classic filter. */
static __always_inline __u32 classic_way(const struct call *c, int compat)
{
	if (compat)
		return 0;
	if (c->nr == (__s32)nr_setsockopt && c->arg[1] == SOL_SOCKET)
		return c->arg[2] == SO_ATTACH_FILTER	     ? CAPTURE_SOCKET :
		       c->arg[2] == SO_ATTACH_REUSEPORT_CBPF ? CAPTURE_REUSEPORT :
							       0;
	if (c->nr == (__s32)nr_seccomp)
		return c->arg[0] == SET_MODE_FILTER ? CAPTURE_SECCOMP : 0;
	return c->nr == (__s32)nr_prctl && c->arg[0] == PR_SET_SECCOMP && c->arg[1] == FILTER ? CAPTURE_SECCOMP : 0;
}

static __always_inline const char *socket_filter(__u64 fd, __u32 way)
{
	const struct fds fds = fds_mine();
	const char *p = 0;

	PROBE(p, file_of(&fds, fd), file, private_data);
	PROBE(p, p, socket, sk);
	if (way == CAPTURE_SOCKET) {
		PROBE(p, p, sock, sk_filter);
		PROBE(p, p, sk_filter, prog);
	} else {
		PROBE(p, p, sock, sk_reuseport_cb);
		PROBE(p, p, sock_reuseport, prog);
	}
	return p;
}

/* Not reached on a kernel without seccomp. */
static __always_inline const char *task_filter(void)
{
	const char *p = FIELD(bpf_get_current_task(), task_struct, seccomp);

	if (at__task_struct__seccomp < 0 || at__seccomp__filter < 0 || at__seccomp_filter__prog < 0)
		return 0;
	PROBE(p, p, seccomp, filter);
	PROBE(p, p, seccomp_filter, prog);
	return p;
}

/* Copy the filter that was just attached; another thread may have replaced it already. */
GLOBAL int classic(__u64 fd, __u32 way)
{
	const char *prog = way == CAPTURE_SECCOMP ? task_filter() : socket_filter(fd, way);

	__sync_fetch_and_add(&state.classic, 1);
	return prog ? copy((__u64)prog, way) : 0;
}

static __always_inline int learn(__u64 fd, __u64 link)
{
	const struct fds fds = fds_mine();
	const __u64 f_op = file_operations(file_of(&fds, fd));

	if (link)
		state.link_fops = f_op;
	else
		state.prog_fops = f_op;
	return numbers_learn(&state.numbers);
}

/* With preemption disabled the kernel has no need to disable migration, too. */
static __always_inline void runs_learn(void)
{
	__u16 kept = 0;

	if (at__task_struct__migration_disabled < 0)
		return;
	PROBE(kept, bpf_get_current_task(), task_struct, migration_disabled);
	state.runs = kept ? CAPTURE_PREEMPTED : CAPTURE_ALONE;
}

/* Not called by the tracepoint: learn from a descriptor of a link (CAPTURE_LINK is set) or of a program. */
SEC("raw_tp/sys_exit") int capture_exit(const __u64 *ctx)
{
	const char *regs = (const char *)ctx[0];
	const __s64 ret = ctx[1];
	struct call c = { 0 };
	__u32 way;
	int compat;

	if (!regs)
		return learn((__u32)ret, (ret & CAPTURE_LINK) != 0);
	if (!state.runs)
		runs_learn();
	c.nr = call_number(regs);
	if (ret < 0 || (c.nr != (__s32)nr_bpf && c.nr != (__s32)nr_bpf_compat && c.nr != (__s32)nr_setsockopt &&
			c.nr != (__s32)nr_seccomp && c.nr != (__s32)nr_prctl))
		return 0;
	compat = call_is_compat();
	call_args(regs, compat, &c);
	if (c.nr == (__s32)(compat ? nr_bpf_compat : nr_bpf))
		bpf_done(&c, ret);
	else if ((way = classic_way(&c, compat)))
		classic(c.arg[0], way);
	return 0;
}
