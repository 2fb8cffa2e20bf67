/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/storage.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/str.h"
#include "kernel/abi.h"
#include "own/iter.h"
#include "own/kbtf.h"

/* Where a member of the owner is on the program's stack. */
#define OWNER_AT(m) ((int)offsetof(struct storage_owner, m) - (int)sizeof(struct storage_owner))
#define SOCKET_AT(m) ((int)offsetof(struct map_socket, m) - (int)sizeof(struct map_socket))
#define NET (-(int)sizeof(struct map_socket) - 8)
enum { CGRP_STORAGE_GET = 210, INSNS = 160 };

/*
 * One kind of owner: its iterator, its helper (0: the iterator has the value), where its object and the value are in the
 * context, and what is written of the owner.
 */
struct way {
	const char *func;
	int helper, object, value, size;
};
static const struct way by_task = { "bpf_iter_task", BPF_FUNC_task_storage_get, 8, 0, sizeof(struct storage_owner) };
static const struct way by_cgroup = { "bpf_iter_cgroup", CGRP_STORAGE_GET, 8, 0, sizeof(struct storage_owner) };
static const struct way by_socket = { "bpf_iter_bpf_sk_storage_map", 0, 16, 24, sizeof(struct storage_owner) };
/* Here the key is the value, and the socket its owner. */
static const struct way in_sockmap = { "bpf_iter_sockmap", 0, 24, 16, sizeof(struct map_socket) };

/* Offsets in the kernel's structs. */
struct offsets {
	uint32_t func_id, missing;
	unsigned tid, pid, comm, kn, kn_id, family, cookie, remote6, local6, state, net, net_ns, inum, type, protocol;
};

struct program {
	struct bpf_insn insn[INSNS];
	unsigned n;
};

static void put(struct program *p, int code, int dst, int src, int off, int imm)
{
	p->insn[p->n++] = (struct bpf_insn){
		.code = (uint8_t)code, .dst_reg = (uint8_t)dst & 15, .src_reg = (uint8_t)src & 15, .off = (int16_t)off, .imm = imm,
	};
}

static void move(struct program *p, int dst, int src) { put(p, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0); }
static void set(struct program *p, int dst, int v) { put(p, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, v); }
static void add(struct program *p, int dst, int v) { put(p, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, v); }
static void load(struct program *p, int dst, int src, int off) { put(p, BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0); }
static void call(struct program *p, int helper) { put(p, BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
/* To the end if it is NULL; where that is becomes known later. */
static void leave_if_null(struct program *p, int reg) { put(p, BPF_JMP | BPF_JEQ | BPF_K, reg, 0, 0, 0); }

/* @size bytes from @off behind the address in register @src to the stack. */
static void copy(struct program *p, int to, int size, int src, unsigned off)
{
	move(p, BPF_REG_3, src);
	add(p, BPF_REG_3, (int)off);
	move(p, BPF_REG_1, BPF_REG_10);
	add(p, BPF_REG_1, to);
	set(p, BPF_REG_2, size);
	call(p, BPF_FUNC_probe_read_kernel);
}

/* The socket is in register 7, struct socket_raw at @to. */
static void socket_copy(struct program *p, const struct offsets *o, int to)
{
	copy(p, to + (int)offsetof(struct socket_raw, family), 2, BPF_REG_7, o->family);
	copy(p, to + (int)offsetof(struct socket_raw, cookie), 8, BPF_REG_7, o->cookie);
	/* struct sock_common begins with remote and local IPv4 address, a hash, and two ports, all in unions without names. */
	if (o->family == 16) {
		copy(p, to + (int)offsetof(struct socket_raw, remote_port), 4, BPF_REG_7, 12);
		copy(p, to + (int)offsetof(struct socket_raw, remote), 4, BPF_REG_7, 0);
		copy(p, to + (int)offsetof(struct socket_raw, local), 4, BPF_REG_7, 4);
	}
	if (o->missing & 1)
		return;
	put(p, BPF_LDX | BPF_MEM | BPF_H, BPF_REG_9, BPF_REG_10, to + (int)offsetof(struct socket_raw, family), 0);
	put(p, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_9, 0, 12, 10 /* AF_INET6 */);
	copy(p, to + (int)offsetof(struct socket_raw, remote), 16, BPF_REG_7, o->remote6);
	copy(p, to + (int)offsetof(struct socket_raw, local), 16, BPF_REG_7, o->local6);
}

/* The object is in register 7. */
static void owner(struct program *p, const struct way *way, const struct offsets *o)
{
	if (way == &by_task) {
		copy(p, OWNER_AT(tid), 4, BPF_REG_7, o->tid);
		copy(p, OWNER_AT(pid), 4, BPF_REG_7, o->pid);
		copy(p, OWNER_AT(comm), 16, BPF_REG_7, o->comm);
		return;
	}
	if (way == &by_cgroup) {
		copy(p, OWNER_AT(cgroup_id), 8, BPF_REG_7, o->kn);
		load(p, BPF_REG_9, BPF_REG_10, OWNER_AT(cgroup_id));
		copy(p, OWNER_AT(cgroup_id), 8, BPF_REG_9, o->kn_id);
		return;
	}
	if (way == &by_socket) {
		socket_copy(p, o, OWNER_AT(socket));
		return;
	}
	socket_copy(p, o, SOCKET_AT(socket));
	copy(p, SOCKET_AT(state), 1, BPF_REG_7, o->state);
	copy(p, SOCKET_AT(type), 2, BPF_REG_7, o->type);
	copy(p, SOCKET_AT(protocol), 2, BPF_REG_7, o->protocol);
	if (o->missing & ~1u)
		return;
	/* The pointer comes in front of what is written. */
	put(p, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, NET, 0);
	copy(p, NET, 8, BPF_REG_7, o->net);
	load(p, BPF_REG_9, BPF_REG_10, NET);
	copy(p, SOCKET_AT(netns), 4, BPF_REG_9, o->net_ns + o->inum);
}

static void write_out(struct program *p, int reg, int off, uint32_t size)
{
	load(p, BPF_REG_1, BPF_REG_6, 0);
	load(p, BPF_REG_1, BPF_REG_1, 0);
	move(p, BPF_REG_2, reg);
	add(p, BPF_REG_2, off);
	set(p, BPF_REG_3, (int)size);
	call(p, BPF_FUNC_seq_write);
}

static void program_make(struct program *p, const struct way *way, const struct offsets *o, int map_fd, uint32_t value_size)
{
	unsigned i;
	int at;

	move(p, BPF_REG_6, BPF_REG_1);
	load(p, BPF_REG_7, BPF_REG_6, way->object);
	leave_if_null(p, BPF_REG_7);
	if (way->helper) {
		put(p, BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map_fd);
		put(p, 0, 0, 0, 0, 0);
		move(p, BPF_REG_2, BPF_REG_7);
		set(p, BPF_REG_3, 0);
		set(p, BPF_REG_4, 0);
		call(p, way->helper);
		move(p, BPF_REG_8, BPF_REG_0);
	} else {
		load(p, BPF_REG_8, BPF_REG_6, way->value);
	}
	leave_if_null(p, BPF_REG_8);
	for (at = -way->size; at < 0; at += 8)
		put(p, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, at, 0);
	owner(p, way, o);
	write_out(p, BPF_REG_10, -way->size, (uint32_t)way->size);
	write_out(p, BPF_REG_8, 0, value_size);
	for (i = 0; i < p->n; i++)
		if (p->insn[i].code == (BPF_JMP | BPF_JEQ | BPF_K))
			p->insn[i].off = (int16_t)(p->n - i - 1);
	set(p, BPF_REG_0, 0);
	put(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int offsets_find(const struct way *way, struct offsets *o)
{
	const struct kbtf_want task[] = { { "task_struct", false, { { "pid", &o->tid }, { "tgid", &o->pid }, { "comm", &o->comm } } } };
	const struct kbtf_want cgroup[] = {
		{ "cgroup", false, { { "kn", &o->kn } } }, { "kernfs_node", false, { { "id", &o->kn_id } } },
	};
	const struct kbtf_want socket[] = {
		{ "sock_common", true, { { "skc_v6_daddr", &o->remote6 }, { "skc_v6_rcv_saddr", &o->local6 } } },
		{ "sock_common", false, { { "skc_family", &o->family }, { "skc_cookie", &o->cookie } } },
	};
	const struct kbtf_want sockmap[] = {
		socket[0], socket[1], { "sock_common", false, { { "skc_state", &o->state } } },
		{ "sock", false, { { "sk_type", &o->type }, { "sk_protocol", &o->protocol } } },
		{ "sock_common", true, { { "skc_net", &o->net } } }, { "net", true, { { "ns", &o->net_ns } } },
		{ "ns_common", true, { { "inum", &o->inum } } },
	};
	const struct kbtf_want *want = way == &by_task ? task : way == &by_cgroup ? cgroup : way == &by_socket ? socket : sockmap;
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	return err ? err : kbtf_find(btf.p, btf.n, want, way == &by_task ? 1 : way == &in_sockmap ? ARRAY_SIZE(sockmap) : 2,
				     way->func, &o->func_id, &o->missing);
}

static int run(const struct way *way, int map_fd, uint32_t value_size, struct str *ret)
{
	struct iter_walk walk = { .of = ITER_ALL };
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_ITER);
	CLEAN_FD prog = -1;
	CLEAN_FD at = -1;
	struct program p = { 0 };
	struct offsets o = { 0 };
	int err = offsets_find(way, &o);

	if (err)
		return err;
	load.attach_btf_id = o.func_id;
	program_make(&p, way, &o, map_fd, value_size);
	if (way == &by_cgroup)
		walk = (struct iter_walk){ .of = ITER_CGROUP, .order = ITER_DESCENDANTS_PRE };
	else if (way != &by_task)
		walk = (struct iter_walk){ .of = ITER_MAP, .map_fd = (uint32_t)map_fd };
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "storage", "Dual BSD/GPL", p.insn, p.n, &load);
	if (prog < 0)
		return prog;
	at = iter_link(prog, &walk);
	if (at < 0)
		return at;
	err = iter_run(at, ret);
	if (!err)
		ret->p[ret->n] = '\0';
	return err;
}

int storage_read(int map_fd, uint32_t type, uint32_t value_size, struct str *ret)
{
	switch (type) {
	case ABI_MAP_TASK_STORAGE:
		return run(&by_task, map_fd, value_size, ret);
	case ABI_MAP_CGRP_STORAGE:
		return run(&by_cgroup, map_fd, value_size, ret);
	case ABI_MAP_SK_STORAGE:
		return run(&by_socket, map_fd, value_size, ret);
	default:
		return -EINVAL;
	}
}

int sockets_read(int map_fd, uint32_t key_size, struct str *ret)
{
	return run(&in_sockmap, map_fd, key_size, ret);
}
