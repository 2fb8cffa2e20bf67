/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clean.h"
#include "base/str.h"
#include "own/holders.bpf.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/object.h"
#include "own/holders.h"
#include "own/iter.h"
#include "own/kbtf.h"

_Static_assert(HOLDERS_KINDS == (int)OBJECT_KINDS, "one list of kinds");
_Static_assert(sizeof(struct holders_entry) == sizeof(struct holder_raw), "one layout");
_Static_assert(offsetof(struct holders_entry, cookie) == offsetof(struct holder_raw, cookie), "one layout");
_Static_assert(offsetof(struct holders_entry, comm) == offsetof(struct holder_raw, comm), "one layout");

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"holders_elf: .incbin \"src/own/holders.bpf.o\"\n"
	"holders_elf_end:\n"
	".popsection\n");
extern const char holders_elf[], holders_elf_end[];

struct iter {
	int fd[OBJECT_KINDS];		/* the program, its state, its link, and some BTF only for its kind */
	struct holders_state state;
};

static void iter_close(struct iter *it)
{
	for (int k = 0; k < OBJECT_KINDS; k++)
		clean_fd(&it->fd[k]);
}

static int offsets_find(struct holders_state *s, uint32_t *func_id)
{
	const struct kbtf_want want[] = {
		{ "perf_event", true, { { "bpf_cookie", &s->event_cookie } } },
		{ "bpf_perf_link", true, { { "link", &s->perf_link_link }, { "perf_file", &s->perf_link_file } } },
		{ "file", false, { { "f_op", &s->file_f_op }, { "private_data", &s->file_private_data } } },
		{ "file_operations", false, { { "release", &s->fops_release } } },
		{ "task_struct", false, { { "tgid", &s->task_tgid }, { "group_leader", &s->task_group_leader },
					  { "comm", &s->task_comm } } },
		{ "bpf_prog", false, { { "aux", &s->prog_aux } } },
		{ "bpf_prog_aux", false, { { "id", &s->id[OBJECT_PROG] } } },
		{ "bpf_map", false, { { "id", &s->id[OBJECT_MAP] } } },
		{ "bpf_link", false, { { "id", &s->id[OBJECT_LINK] }, { "type", &s->link_type } } },
		{ "btf", false, { { "id", &s->id[OBJECT_BTF] } } },
	};
	KBTF btf = {0};
	uint32_t missing;
	int err;

	err = kbtf_open(&btf);
	if (!err)
		err = kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), "bpf_iter_task_file", func_id, &missing);
	if (!err)
		s->has_cookie = !missing;
	return err;
}

static int btf_load(void)
{
	struct {
		struct abi_btf_header h;
		struct btf_type t;
		uint32_t bits;
		char strs[8];
	} __attribute__((packed)) data = {
		.h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct abi_btf_header),
		       .type_len = sizeof(struct btf_type) + 4, .str_off = sizeof(struct btf_type) + 4, .str_len = 5 },
		.t = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.bits = 32,
		.strs = "\0int",
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&data;
	attr.btf_size = sizeof(data.h) + data.h.str_off + data.h.str_len;
	return sys_bpf_new(BPF_BTF_LOAD, &attr, sizeof(attr));
}

static int map_create(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = sizeof(struct holders_state);
	attr.max_entries = 1;
	strcpy(attr.map_name, "holders");
	return sys_bpf_new(BPF_MAP_CREATE, &attr, sizeof(attr));
}

/* The only loads of 64-bit constants are addresses in the one global variable: they become addresses in the map's value. */
static int prog_load(const struct bpf_insn *elf_insns, size_t n, int map_fd, uint32_t func_id)
{
	CLEAN_PTR struct bpf_insn *insns = calloc(n, sizeof(*insns));
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	if (!insns)
		return -ENOMEM;
	memcpy(insns, elf_insns, n * sizeof(*insns));
	for (size_t i = 0; i + 1 < n; i++) {
		if (insns[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		insns[i].src_reg = BPF_PSEUDO_MAP_VALUE;
		insns[i + 1].imm = insns[i].imm;
		insns[i].imm = map_fd;
		i++;
	}
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = func_id;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = (uint32_t)n;
	attr.license = (uintptr_t)"Dual BSD/GPL";
	strcpy(attr.prog_name, "holders");
	return sys_bpf_new(BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int elf_load(int map_fd, uint32_t func_id)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "holders");
	struct bpf_object *obj = bpf_object__open_mem(holders_elf, (size_t)(holders_elf_end - holders_elf), &opts);
	struct bpf_program *prog;
	int ret;

	if (!obj)
		return -errno;
	prog = bpf_object__next_program(obj, NULL);
	ret = prog ? prog_load(bpf_program__insns(prog), bpf_program__insn_cnt(prog), map_fd, func_id) : -ENOENT;
	bpf_object__close(obj);
	return ret;
}

/* The map's one value: BPF_MAP_UPDATE_ELEM or BPF_MAP_LOOKUP_ELEM between it and it->state. */
static int state_move(struct iter *it, enum bpf_cmd cmd)
{
	union bpf_attr attr;
	uint32_t key = 0;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)it->fd[OBJECT_MAP];
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&it->state;
	return sys_bpf(cmd, &attr, sizeof(attr));
}

/* What release function has each of our own descriptors? */
static int learn(struct iter *it)
{
	STR none = {0};
	int err;

	it->state.learning = 1;
	memcpy(it->state.fd, it->fd, sizeof(it->fd));
	err = state_move(it, BPF_MAP_UPDATE_ELEM);
	if (!err)
		err = iter_run(it->fd[OBJECT_LINK], &none);
	if (!err)
		err = state_move(it, BPF_MAP_LOOKUP_ELEM);
	it->state.learning = 0;
	for (int k = 0; !err && k < OBJECT_KINDS; k++)
		if (!it->state.release[k])
			err = -ESRCH;
	return err ? err : state_move(it, BPF_MAP_UPDATE_ELEM);
}

int holders_by_iterator(struct str *ret)
{
	__attribute__((cleanup(iter_close))) struct iter it = { .fd = { -1, -1, -1, -1 } };
	uint32_t func_id;
	size_t before = ret->n;
	int err;

	err = it.fd[OBJECT_MAP] = map_create();
	if (err >= 0)
		err = offsets_find(&it.state, &func_id);
	if (err >= 0)
		err = it.fd[OBJECT_PROG] = elf_load(it.fd[OBJECT_MAP], func_id);
	if (err >= 0)
		err = it.fd[OBJECT_LINK] = iter_link(it.fd[OBJECT_PROG], &(struct iter_walk){ .of = ITER_TASK, .tid = (uint32_t)gettid() });
	if (err >= 0)
		err = it.fd[OBJECT_BTF] = btf_load();
	if (err >= 0)
		err = learn(&it);
	if (err < 0)
		return err;
	clean_fd(&it.fd[OBJECT_LINK]);
	err = it.fd[OBJECT_LINK] = iter_link(it.fd[OBJECT_PROG], NULL);
	if (err >= 0)
		err = iter_run(it.fd[OBJECT_LINK], ret);
	if (err < 0)
		ret->n = before;
	if (ret->p)
		ret->p[ret->n] = 0;
	return err < 0 ? err : 0;
}
