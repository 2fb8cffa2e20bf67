/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/loader.h"

#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

#include "base/clean.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"

#define SLEEPABLE (1u << 4)		/* prog_flags */
#define INSN_SIZE 8

static int map_make(const struct loader *l)
{
	union bpf_attr attr;
	CLEAN_FD fd = -1;
	uint32_t key = 0;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(key);
	attr.value_size = l->data_size;
	attr.max_entries = 1;
	memcpy(attr.map_name, "__loader.map", sizeof("__loader.map"));
	fd = sys_bpf_new(BPF_MAP_CREATE, &attr, offsetof(union bpf_attr, map_extra));
	if (fd < 0)
		return fd;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)l->data;
	err = sys_bpf(BPF_MAP_UPDATE_ELEM, &attr, offsetof(union bpf_attr, flags) + sizeof(attr.flags));
	return err ? err : TAKE_FD(fd);
}

static int prog_load(const struct loader *l, int map)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = ABI_PROG_SYSCALL;
	attr.insns = (uintptr_t)l->insns;
	attr.insn_cnt = l->insns_size / INSN_SIZE;
	attr.license = (uintptr_t)"Dual BSD/GPL";
	attr.prog_flags = SLEEPABLE;
	attr.fd_array = (uintptr_t)&map;
	memcpy(attr.prog_name, "__loader.prog", sizeof("__loader.prog"));
	return sys_bpf_new(BPF_PROG_LOAD, &attr, offsetof(union bpf_attr, fd_array) + sizeof(attr.fd_array));
}

int loader_run(const struct loader *l, void *ctx, uint32_t ctx_size, enum loader_step *ret_step)
{
	CLEAN_FD map = map_make(l);
	CLEAN_FD prog = -1;
	union bpf_attr attr;
	int err;

	*ret_step = LOADER_MAP;
	if (map < 0)
		return map;
	*ret_step = LOADER_LOAD;
	prog = prog_load(l, map);
	if (prog < 0)
		return prog;
	*ret_step = LOADER_RUN;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)prog;
	attr.test.ctx_in = (uintptr_t)ctx;
	attr.test.ctx_size_in = ctx_size;
	err = sys_bpf(BPF_PROG_TEST_RUN, &attr, offsetof(union bpf_attr, test) + sizeof(attr.test));
	return err ? err : (int)attr.test.retval < 0 ? (int)attr.test.retval : 0;
}
