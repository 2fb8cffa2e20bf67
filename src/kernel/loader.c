/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/loader.h"

#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>

#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/elem.h"

#define SLEEPABLE (1u << 4) /* prog_flags */

/* union bpf_attr with the members that 6.18 added to two of its structs. */
union loader_attr {
	union bpf_attr attr;
	struct {
		unsigned char before[80];
		uint64_t hash;
		uint32_t hash_size;
	} map;
	struct {
		unsigned char before[152];
		uint64_t cms;
		uint32_t cms_size;
		int32_t keyring;
	} prog;
};

/* Add the certificate to a session keyring that ends with the process. */
static int key_add(const struct loader_signature *s)
{
	if (syscall(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
	    syscall(__NR_add_key, "asymmetric", "bpflens", s->cert, (size_t)s->cert_size, KEY_SPEC_SESSION_KEYRING) < 0)
		return -errno;
	return 0;
}

/*
 * Freeze the contents and let the kernel compute their hash, which it does when the info is read: the loader compares
 * it.
 */
static int map_seal(int fd)
{
	unsigned char hash[32];
	struct abi_map_info info = { .hash = (uintptr_t)hash, .hash_size = sizeof(hash) };
	uint32_t len = sizeof(info);
	int err = map_freeze(fd);

	return err ? err : sys_object_info(fd, &info, &len);
}

static int map_make(const struct loader *l, const struct loader_signature *s)
{
	union loader_attr make;
	CLEAN_FD fd = -1;
	uint32_t key = 0;
	int err;

	memset(&make, 0, sizeof(make));
	make.attr.map_type = BPF_MAP_TYPE_ARRAY;
	make.attr.key_size = sizeof(key);
	make.attr.value_size = l->data_size;
	make.attr.max_entries = 1;
	memcpy(make.attr.map_name, "__loader.map", sizeof("__loader.map"));
	if (s) {
		make.map.hash = (uintptr_t)s->hash;
		make.map.hash_size = sizeof(s->hash);
	}
	fd = sys_bpf_new(BPF_MAP_CREATE, &make.attr, s ? sizeof(make.map) : offsetof(union bpf_attr, map_extra));
	if (fd < 0)
		return fd;
	err = elem_update(fd, &key, l->data, BPF_ANY);
	if (!err && s)
		err = map_seal(fd);
	return err ? err : TAKE_FD(fd);
}

static int prog_load(const struct loader *l, const struct loader_signature *s, const struct loader_ctx *ctx, int map)
{
	union loader_attr load;

	memset(&load, 0, sizeof(load));
	load.attr.prog_type = ABI_PROG_SYSCALL;
	load.attr.insns = (uintptr_t)l->insns;
	load.attr.insn_cnt = l->insns_size / sizeof(struct bpf_insn);
	load.attr.license = (uintptr_t) "Dual BSD/GPL";
	load.attr.prog_flags = SLEEPABLE;
	load.attr.fd_array = (uintptr_t)&map;
	load.attr.log_level = ctx->log_level;
	load.attr.log_size = ctx->log_size;
	load.attr.log_buf = ctx->log_buf;
	memcpy(load.attr.prog_name, "__loader.prog", sizeof("__loader.prog"));
	if (!s)
		return sys_bpf_new(BPF_PROG_LOAD, &load.attr,
				   offsetof(union bpf_attr, fd_array) + sizeof(load.attr.fd_array));
	load.prog.cms = (uintptr_t)s->cms;
	load.prog.cms_size = s->cms_size;
	load.prog.keyring = KEY_SPEC_SESSION_KEYRING;
	return sys_bpf_new(BPF_PROG_LOAD, &load.attr, sizeof(load.prog));
}

int loader_run(const struct loader *l, const struct loader_signature *s, struct loader_ctx *ctx,
	       enum loader_step *ret_step)
{
	CLEAN_FD map = -1;
	CLEAN_FD prog = -1;
	union bpf_attr attr;
	int err = s ? key_add(s) : 0;

	*ret_step = LOADER_KEY;
	if (err)
		return err;
	*ret_step = LOADER_MAP;
	map = map_make(l, s);
	if (map < 0)
		return map;
	*ret_step = LOADER_LOAD;
	prog = prog_load(l, s, ctx, map);
	if (prog < 0)
		return prog;
	*ret_step = LOADER_RUN;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)prog;
	attr.test.ctx_in = (uintptr_t)ctx;
	attr.test.ctx_size_in = ctx->size;
	err = sys_bpf(BPF_PROG_TEST_RUN, &attr, offsetof(union bpf_attr, test) + sizeof(attr.test));
	return err ? err : (int)attr.test.retval < 0 ? (int)attr.test.retval : 0;
}
