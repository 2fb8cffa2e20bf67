/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/netns_sockets.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/str.h"
#include "own/code.h"
#include "own/kbtf.h"

struct places {
	unsigned inode, data, mode, sk, common, net, net_ns, inum, tgid;
	uint32_t iter;
};

/* What the program writes; below it on the stack: a pointer. */
#define AT_ENTRY (-16)
#define AT_PID (AT_ENTRY + (int)offsetof(struct netns_socket, pid))
#define AT_FD (AT_ENTRY + (int)offsetof(struct netns_socket, fd))
#define AT_INO (AT_ENTRY + (int)offsetof(struct netns_socket, ino))
#define AT_POINTER (AT_ENTRY - 8)

/* struct bpf_iter__task_file: meta, task, fd, file, each in 8 bytes. What is not there, or no socket, ends as number 0. */
static void program(struct code *c, const struct places *p, uint32_t but)
{
	unsigned out[5], n = 0;

	code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_8, BPF_REG_6, 8, 0);
	out[n++] = code_add(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_8, 0, 0, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_6, 24, 0);
	out[n++] = code_add(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_7, 0, 0, 0);
	code_follow(c, BPF_REG_9, BPF_REG_7, p->inode, AT_POINTER);
	code_add(c, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, AT_POINTER, 0);
	code_probe(c, BPF_REG_9, p->mode, AT_POINTER, sizeof(uint16_t));
	code_add(c, BPF_LDX | BPF_MEM | BPF_H, BPF_REG_1, BPF_REG_10, AT_POINTER, 0);
	code_add(c, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_1, 0, 0, S_IFMT);
	out[n++] = code_add(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_1, 0, 0, S_IFSOCK);
	code_follow(c, BPF_REG_9, BPF_REG_7, p->data, AT_POINTER);
	code_follow(c, BPF_REG_9, BPF_REG_9, p->sk, AT_POINTER);
	code_follow(c, BPF_REG_9, BPF_REG_9, p->common + p->net, AT_POINTER);
	code_probe(c, BPF_REG_9, p->net_ns + p->inum, AT_INO, sizeof(uint32_t));
	code_add(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_10, AT_INO, 0);
	out[n++] = code_add(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_1, 0, 0, 0);
	out[n++] = code_add(c, BPF_JMP32 | BPF_JEQ | BPF_K, BPF_REG_1, 0, 0, (int32_t)but);
	code_probe(c, BPF_REG_8, p->tgid, AT_PID, sizeof(uint32_t));
	code_add(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_6, 16, 0);
	code_add(c, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, AT_FD, 0);
	code_write(c, AT_ENTRY, sizeof(struct netns_socket));
	while (n)
		code_lands(c, out[--n]);
	code_return(c);
}

static int places_find(struct places *p)
{
	const struct kbtf_want want[] = {
		{ "file", false, { { "f_inode", &p->inode }, { "private_data", &p->data } } },
		{ "inode", false, { { "i_mode", &p->mode } } },
		{ "socket", false, { { "sk", &p->sk }, { "ops", &(unsigned){ 0 } } } },
		{ "sock", false, { { "__sk_common", &p->common } } },
		{ "sock_common", false, { { "skc_net", &p->net } } },
		{ "net", false, { { "ns", &p->net_ns }, { "loopback_dev", &(unsigned){ 0 } } } },
		{ "ns_common", false, { { "inum", &p->inum } } },
		{ "task_struct", false, { { "tgid", &p->tgid } } },
	};
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	return err ? err : kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), "bpf_iter_task_file", &p->iter, NULL);
}

int netns_sockets(uint32_t but, struct str *ret)
{
	struct places p = { 0 };
	struct code c = { .n = 0 };
	int err = places_find(&p);

	if (err)
		return err;
	program(&c, &p, but);
	return code_run(&c, p.iter, "netns_sockets", ret);
}

int netns_of_socket(const char *path)
{
	CLEAN_FD process = -1;
	CLEAN_FD fd = -1;
	unsigned pid, nr;
	int ns, end = -1;

	if (sscanf(path, "/proc/%u/fd/%u%n", &pid, &nr, &end) != 2 || end < 0 || path[end])
		return -EINVAL;
	process = (int)syscall(SYS_pidfd_open, pid, 0);
	fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, nr, 0);
	ns = fd < 0 ? -1 : ioctl(fd, SIOCGSKNS);
	return ns < 0 ? -errno : ns;
}
