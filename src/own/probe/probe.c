/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/probe/probe.h"

#include <linux/bpf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/wait.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/names.h"
#include "own/child.h"
#include "own/kbtf.h"
#include "own/own.h"
#include "own/probe/try.h"

#include "own/bpf/probe.bpf.inc"

#define MAPS 64
#define NEWER 8 /* types after those that we know, which are also tried */
#define KFUNCS 2048
#define WORKERS 4
#define LIMIT_MS 1500 /* for one more answer; the kernel answers thousands in a tenth of a second */

/* Helpers whose look-up has side effects. */
static const uint8_t loud[] = { BPF_FUNC_trace_printk, BPF_FUNC_probe_write_user, BPF_FUNC_trace_vprintk };

/*
 * Helpers that are tried one by one: those with five parameters, which an unknown helper is also assumed to have; those
 * that the verifier allows only to some programs of a type; and those that are newer than bpflens.
 */
static const uint8_t alone[] = {
	BPF_FUNC_skb_store_bytes,     BPF_FUNC_l3_csum_replace,	   BPF_FUNC_l4_csum_replace,
	BPF_FUNC_perf_event_output,   BPF_FUNC_csum_diff,	   BPF_FUNC_setsockopt,
	BPF_FUNC_getsockopt,	      BPF_FUNC_skb_get_xfrm_state, BPF_FUNC_skb_load_bytes_relative,
	BPF_FUNC_sk_lookup_tcp,	      BPF_FUNC_sk_lookup_udp,	   BPF_FUNC_skc_lookup_tcp,
	BPF_FUNC_tcp_check_syncookie, BPF_FUNC_tcp_gen_syncookie,  BPF_FUNC_skb_output,
	BPF_FUNC_xdp_output,	      BPF_FUNC_seq_printf,	   BPF_FUNC_snprintf_btf,
	BPF_FUNC_check_mtu,	      BPF_FUNC_snprintf,	   BPF_FUNC_find_vma,
	BPF_FUNC_copy_from_user_task, BPF_FUNC_dynptr_read,	   BPF_FUNC_dynptr_write,
	BPF_FUNC_get_func_ip,	      BPF_FUNC_copy_from_user,	   BPF_FUNC_ima_inode_hash,
	BPF_FUNC_ima_file_hash,
};

static const struct misc {
	const char *name, *template;
} misc[] = {
	{ "large_insn_limit", NULL },	    { "bounded_loops", "probe_loop" },	{ "v2_isa_extension", "probe_v2" },
	{ "v3_isa_extension", "probe_v3" }, { "v4_isa_extension", "probe_v4" },
};
#define MISC ARRAY_SIZE(misc)

/* What was found out about one way to load. */
struct tried {
	int err; /* for its type */
	bool taken;
	uint8_t can[PROBE_HELPERS];
	uint8_t calls[KFUNCS];
};

/* Shared by the workers; each entry is written by one of them. */
struct shared {
	struct probe probe;
	struct image image;
	struct probe_way ways[PROBE_WAYS];
	size_t nways;
	bool ask[PROBE_HELPERS];
	size_t next; /* the next job that no worker has taken */
	int call, map[MAPS], misc[MISC];
	uint32_t known, end; /* first id without a name here; first id without a helper (each worker sets it) */
	struct kbtf_func func[KFUNCS];
	size_t nfuncs;
	struct tried tried[PROBE_WAYS];
};

/* What the number of parameters means: fewer than 5: the helper is there; 5: it is not. */
static uint8_t params_meaning(const struct shared *s, const uint8_t *params, uint32_t id)
{
	if (id >= s->known || memchr(alone, (int)id, sizeof(alone)) || params[id] == PROBE_PARAMS_NONE)
		return PROBE_UNKNOWN;
	return params[id] < 5 ? PROBE_YES : PROBE_NO;
}

/* Does the verifier's log mean that? Compare one answer of each kind with that for a program that calls the helper. */
static bool log_is_clear(const struct shared *s, struct probe_try *t, const struct probe_way *way, const bool *ask,
			 const uint8_t *params)
{
	bool checked[PROBE_YES + 1] = { [PROBE_UNKNOWN] = true };

	for (uint32_t id = 1; id < s->end; id++) {
		const uint8_t what = ask[id] ? params_meaning(s, params, id) : PROBE_UNKNOWN;

		if (checked[what])
			continue;
		checked[what] = true;
		if (probe_helper(t, way, id) != what)
			return false;
	}
	return true;
}

/* Try one way of a type. Ways from @first on were tried before; helpers that they may call are not tried again. */
static void way_try(struct shared *s, struct probe_try *t, size_t first, size_t i)
{
	struct tried *r = &s->tried[i];
	uint8_t params[PROBE_HELPERS];
	bool ask[PROBE_HELPERS], is_clear;

	r->err = probe_way_try(t, &s->ways[i], &r->taken);
	if (!r->taken)
		return;
	memcpy(ask, s->ask, sizeof(ask));
	for (size_t k = first; k < i; k++)
		for (uint32_t id = 0; id < PROBE_HELPERS; id++)
			ask[id] &= s->tried[k].can[id] != PROBE_YES;
	probe_params(t, &s->ways[i], ask, params);
	is_clear = log_is_clear(s, t, &s->ways[i], ask, params);
	for (uint32_t id = 1; id < s->end; id++) {
		if (!ask[id])
			continue;
		r->can[id] = is_clear ? params_meaning(s, params, id) : PROBE_UNKNOWN;
		if (r->can[id] == PROBE_UNKNOWN)
			r->can[id] = probe_helper(t, &s->ways[i], id);
	}
}

/* Functions that an earlier way of the type may call are not tried again. */
static void kfuncs_try(struct shared *s, struct probe_try *t, size_t first, size_t i)
{
	struct tried *r = &s->tried[i];

	r->err = probe_way_try(t, &s->ways[i], &r->taken);
	for (size_t k = 0; r->taken && k < s->nfuncs; k++) {
		size_t other = first;

		while (other < i && s->tried[other].calls[k] != PROBE_YES)
			other++;
		if (other == i)
			r->calls[k] = probe_kfunc(t, &s->ways[i], s->func[k].id);
	}
}

static struct probe_way plain_way(const struct shared *s)
{
	return (struct probe_way){ .type = s->probe.ifindex ? BPF_PROG_TYPE_XDP : BPF_PROG_TYPE_SOCKET_FILTER,
				   .id = -1 };
}

static void rest_try(struct shared *s, struct probe_try *t)
{
	const struct probe_way way = plain_way(s);
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	s->call = sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr)) == -ENOSYS ? -ENOSYS : 0;
	for (size_t i = 0; i < MISC; i++)
		s->misc[i] = misc[i].template ? probe_template(t, &way, misc[i].template) : probe_large(t, &way);
	for (uint32_t type = 1; type < names_map_type.n + NEWER && type < MAPS; type++)
		s->map[type] = probe_map(type, s->probe.ifindex);
}

/* The job of the first way of a type tries all ways of that type. The last job tries everything that is not a program
 * type. */
static void job_do(struct shared *s, struct probe_try *t, size_t job)
{
	const uint32_t type = s->ways[job].type;

	if (job == s->nways) {
		if (!s->probe.kfuncs)
			rest_try(s, t);
		return;
	}
	if (job && s->ways[job - 1].type == type)
		return;
	for (size_t i = job; i < s->nways && s->ways[i].type == type; i++)
		(s->probe.kfuncs ? kfuncs_try : way_try)(s, t, job, i);
}

static void worker(struct shared *s, int alive)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct probe_try t = { .image = &s->image, .ifindex = s->probe.ifindex, .alive = alive };
	const struct probe_way way = plain_way(s);
	size_t job;

	child_close_others(&alive, 1);
	/* For this process only. Kernels before 5.11 charge programs to it. */
	setrlimit(RLIMIT_MEMLOCK, &all);
	if (s->probe.prepare)
		s->probe.prepare();
	if (!s->probe.kfuncs)
		s->end = probe_helpers_end(&t, &way, s->known);
	while ((job = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) <= s->nways)
		job_do(s, &t, job);
	_exit(0);
}

/* 1: a worker got an answer; 0: all have closed their ends; -ETIME: no answer came within the limit; or -errno. */
static int workers_wait(int ours)
{
	char params_meaning[64];
	ssize_t n;

	do
		n = recv(ours, params_meaning, sizeof(params_meaning), 0);
	while (n < 0 && errno == EINTR);
	return n > 0 ? 1 : !n ? 0 : errno == EAGAIN ? -ETIME : -errno;
}

static pid_t worker_start(struct shared *s, int alive)
{
	pid_t pid = fork();

	if (!pid)
		worker(s, alive);
	return pid;
}

/* The first worker shows that the kernel answers; then others are started. 0 or -errno. */
static int workers_start(struct shared *s, int ours, int its, pid_t *pids, int *n)
{
	const struct timeval limit = { LIMIT_MS / 1000, LIMIT_MS % 1000 * 1000 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int err;

	if (setsockopt(ours, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return -errno;
	pids[0] = worker_start(s, its);
	if (pids[0] < 0)
		return -EAGAIN;
	*n = 1;
	err = workers_wait(ours);
	while (err > 0 && *n < WORKERS && *n < cpus) {
		pids[*n] = worker_start(s, its);
		if (pids[*n] < 0)
			break;
		++*n;
	}
	return err < 0 ? err : 0;
}

/* Ask in child processes, because the kernel may put the process that asks to sleep for good. 0 or -errno. */
static int workers_run(struct shared *s)
{
	CLEAN_FD ours = -1;
	CLEAN_FD its = -1;
	pid_t pids[WORKERS];
	int pair[2], n = 0, err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ours = pair[0];
	its = pair[1];
	err = workers_start(s, ours, its, pids, &n);
	clean_fd(&its);
	its = -1;
	while (!err && (err = workers_wait(ours)) > 0)
		err = 0;
	for (int i = 0; i < n && err; i++)
		kill(pids[i], SIGKILL);
	for (int i = 0; i < n; i++) {
		const int status = wait_child(pids[i], err ? CHILD_KILLED_MS : WAIT_END);

		if (status && !err)
			err = -ECHILD;
	}
	return err;
}

static void ask_init(struct shared *s)
{
	memset(s->ask, true, sizeof(s->ask));
	s->ask[BPF_FUNC_unspec] = false;
	for (size_t i = 0; !s->probe.full && i < ARRAY_SIZE(loud); i++)
		s->ask[loud[i]] = false;
	while (names_helper(s->known))
		s->known++;
}

/* PROBE_YES if one way can call it, else PROBE_UNKNOWN if that is unknown for one way, else PROBE_NO. */
static uint8_t can(const struct shared *s, uint32_t type, uint32_t id)
{
	uint8_t ret = PROBE_NO;

	for (size_t i = 0; i < s->nways; i++) {
		if (s->ways[i].type != type || !s->tried[i].taken)
			continue;
		if (s->tried[i].can[id] == PROBE_YES)
			return PROBE_YES;
		if (s->tried[i].can[id] != PROBE_NO)
			ret = PROBE_UNKNOWN;
	}
	return ret;
}

static void helpers_print(const struct shared *s, uint32_t type, struct str *ret)
{
	const size_t start = ret->n;

	str_fmt(ret, "helpers %u", type);
	for (uint32_t id = 0; id < s->end; id++) {
		const uint8_t what = s->ask[id] ? can(s, type, id) : PROBE_NO;

		if (what == PROBE_YES)
			str_fmt(ret, " %u", id);
		if (what != PROBE_UNKNOWN)
			continue;
		ret->n = start;
		str_fmt(ret, "helpers %u ?\n", type);
		return;
	}
	str_puts(ret, "\n");
}

static void kfuncs_print(const struct shared *s, uint32_t type, struct str *ret)
{
	str_fmt(ret, "kfuncs %u", type);
	for (size_t k = 0; k < s->nfuncs; k++) {
		uint8_t what = PROBE_NO;

		for (size_t i = 0; i < s->nways && what != PROBE_YES; i++)
			if (s->ways[i].type == type && s->tried[i].taken && s->tried[i].calls[k] != PROBE_NO)
				what = s->tried[i].calls[k];
		if (what != PROBE_NO)
			str_fmt(ret, " %s%s", s->func[k].name, what == PROBE_YES ? "" : "?");
	}
	str_puts(ret, "\n");
}

/* An attach type is there if one of its ways is. For struct_ops these are members and not attach types. */
static void attach_print(const struct shared *s, uint32_t type, struct str *ret)
{
	for (size_t i = 0; i < s->nways; i++) {
		const struct probe_way *w = &s->ways[i];
		int err = s->tried[i].err;

		if (w->type != type || !w->attach || type == ABI_PROG_STRUCT_OPS ||
		    (i && w[-1].type == type && w[-1].attach == w->attach))
			continue;
		for (size_t k = i + 1; err && k < s->nways && w[k - i].type == type && w[k - i].attach == w->attach;
		     k++)
			err = s->tried[k].err;
		str_fmt(ret, "attach %u %u %d\n", type, w->attach, -err);
	}
}

/* A type is there if one of its ways is. If none is, the error is that of the first way that fails with another one
 * than EINVAL. */
static void type_print(const struct shared *s, uint32_t type, struct str *ret)
{
	bool known = false, taken = false;
	int err = -EINVAL;

	for (size_t i = 0; i < s->nways; i++) {
		if (s->ways[i].type != type)
			continue;
		known |= !s->tried[i].err;
		taken |= s->tried[i].taken;
		if (err == -EINVAL)
			err = s->tried[i].err;
	}
	str_fmt(ret, "prog %u %d\n", type, known ? 0 : -err);
	if (!s->probe.kfuncs)
		attach_print(s, type, ret);
	if (taken && !s->probe.kfuncs)
		helpers_print(s, type, ret);
	if (taken && s->nfuncs)
		kfuncs_print(s, type, ret);
}

static void answers_print(const struct shared *s, struct str *ret)
{
	str_fmt(ret, "bpf %d\n", -s->call);
	for (uint32_t type = 1; type < names_prog_type.n + NEWER; type++)
		type_print(s, type, ret);
	if (s->probe.kfuncs)
		return;
	for (uint32_t type = 1; type < names_map_type.n + NEWER && type < MAPS; type++)
		str_fmt(ret, "map %u %d\n", type, -s->map[type]);
	for (size_t i = 0; i < MISC; i++)
		str_fmt(ret, "misc %s %d\n", misc[i].name, -s->misc[i]);
}

static int answers_collect(struct shared *s, struct str *ret)
{
	KBTF types = { 0 };
	int n = 0, err = image_open(&s->image, elf_probe, sizeof(elf_probe), &types);

	if (!err && s->probe.kfuncs && !kbtf_open(&types))
		n = kbtf_tagged(&types, "bpf_kfunc", s->func, KFUNCS);
	if (err)
		return err;
	s->nfuncs = n < 0 ? 0 : n < KFUNCS ? (size_t)n : KFUNCS;
	s->nways = probe_ways(s->ways, names_prog_type.n + NEWER - 1);
	ask_init(s);
	err = workers_run(s);
	if (!err)
		answers_print(s, ret);
	return err;
}

int probe_collect(struct own *own, const struct probe *p, struct str *ret)
{
	struct shared *s;
	int err = own->never ? -ECANCELED : own->error;

	if (err)
		return err;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return -errno;
	s->probe = *p;
	err = answers_collect(s, ret);
	image_close(&s->image);
	munmap(s, sizeof(*s));
	if (err == -ETIME)
		own->error = -ETIME;
	return err;
}
