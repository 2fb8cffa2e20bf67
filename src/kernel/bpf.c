/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <linux/bpf.h>
#include "kernel/abi.h"
#include "kernel/bpf.h"

/*
 * Large enough for the members used, and known to every kernel since 4.13; the link commands are newer but not larger.
 */
#define ATTR_ID_SIZE (offsetof(union bpf_attr, open_flags) + sizeof(__u32))
#define ATTR_INFO_SIZE (offsetof(union bpf_attr, info.info) + sizeof(__u64))

static const struct {
	int next_id, by_id;
} commands[OBJECT_KINDS] = {
	[OBJECT_PROG] = { BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID },
	[OBJECT_MAP] = { BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID },
	[OBJECT_LINK] = { ABI_LINK_GET_NEXT_ID, ABI_LINK_GET_FD_BY_ID },
	[OBJECT_BTF] = { BPF_BTF_GET_NEXT_ID, BPF_BTF_GET_FD_BY_ID },
};

int sys_bpf(int cmd, union bpf_attr *attr, size_t size)
{
	long ret = syscall(__NR_bpf, cmd, attr, size);

	return ret < 0 ? -errno : (int)ret;
}

int sys_bpf_new(int cmd, union bpf_attr *attr, size_t size)
{
	struct rlimit old, all = { RLIM_INFINITY, RLIM_INFINITY };
	int ret = sys_bpf(cmd, attr, size);

	if (ret != -EPERM || getrlimit(RLIMIT_MEMLOCK, &old) || setrlimit(RLIMIT_MEMLOCK, &all))
		return ret;
	ret = sys_bpf(cmd, attr, size);
	setrlimit(RLIMIT_MEMLOCK, &old);
	return ret;
}

int sys_token_create(int bpffs)
{
	const struct abi_token_create create = { .bpffs_fd = (uint32_t)bpffs };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(create));
	memcpy(&attr, &create, sizeof(create));
	return sys_bpf(ABI_TOKEN_CREATE, &attr, sizeof(create));
}

int sys_object_next_id(enum object_kind kind, uint32_t start, uint32_t *next)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, ATTR_ID_SIZE);
	attr.start_id = start;
	err = sys_bpf(commands[kind].next_id, &attr, ATTR_ID_SIZE);
	if (!err)
		*next = attr.next_id;
	return err;
}

static int object_open_flags(enum object_kind kind, uint32_t id, uint32_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, ATTR_ID_SIZE);
	attr.prog_id = id; /* the same member for all kinds */
	attr.open_flags = flags;
	return sys_bpf(commands[kind].by_id, &attr, ATTR_ID_SIZE);
}

int sys_object_open(enum object_kind kind, uint32_t id)
{
	int fd;

	if (kind != OBJECT_MAP)
		return object_open_flags(kind, id, 0);
	fd = object_open_flags(kind, id, BPF_F_RDONLY);
	/* A kernel before 4.15 does not know any flags. */
	return fd == -EINVAL ? object_open_flags(kind, id, 0) : fd;
}

int sys_object_open_rw(enum object_kind kind, uint32_t id)
{
	return object_open_flags(kind, id, 0);
}

int sys_object_info(int fd, void *info, uint32_t *len)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, ATTR_INFO_SIZE);
	attr.info.bpf_fd = (__u32)fd;
	attr.info.info_len = *len;
	attr.info.info = (__u64)(uintptr_t)info;
	err = sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, ATTR_INFO_SIZE);
	if (!err)
		*len = attr.info.info_len;
	return err;
}

int sys_object_id(int fd, uint32_t *ret)
{
	uint32_t info[2] = { 0 }, len = sizeof(info); /* the info of these kinds begins with type and id */
	int err = sys_object_info(fd, info, &len);

	if (!err)
		*ret = info[1];
	return err;
}

int sys_object_kind(int fd)
{
	static const struct {
		const char *link;
		enum object_kind kind;
	} words[] = {
		{ "anon_inode:bpf-prog", OBJECT_PROG }, { "anon_inode:bpf-map", OBJECT_MAP },
		{ "anon_inode:bpf_link", OBJECT_LINK }, { "anon_inode:bpf-link", OBJECT_LINK },
		{ "anon_inode:btf", OBJECT_BTF },
	};
	char path[40], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(target, words[i].link))
			return (int)words[i].kind;
	return -EMEDIUMTYPE;
}

int sys_prog_stream(int fd, uint32_t stream, void *buf, uint32_t n)
{
	struct {
		uint64_t buf;
		uint32_t len, stream, fd, zero;
	} attr = { (uintptr_t)buf, n, stream, (uint32_t)fd, 0 };

	return sys_bpf(ABI_PROG_STREAM_READ, (union bpf_attr *)&attr, 20);
}

int sys_stats_enable(void)
{
	return bpf_enable_stats(BPF_STATS_RUN_TIME);
}

bool sys_mapped(uint64_t at, uint32_t pages)
{
	const size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	void *p = mmap((void *)(uintptr_t)at, size, PROT_NONE, flags, -1, 0);

	if (p != MAP_FAILED)
		munmap(p, size);
	return p == MAP_FAILED && errno == EEXIST;
}
