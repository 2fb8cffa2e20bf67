/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and types: the file of a program has its instructions, then the records of functions and of lines. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <bpf/btf.h>
#include "base/bytes.h"
#include "fake.h"

#define POINTER(v) ((void *)(uintptr_t)(v))

static bool is_map(const struct bpf_insn *in, bool *ret_index)
{
	*ret_index = in->src_reg == BPF_PSEUDO_MAP_IDX || in->src_reg == BPF_PSEUDO_MAP_IDX_VALUE;
	return in->code == (BPF_LD | BPF_IMM | BPF_DW) &&
	       (*ret_index || in->src_reg == BPF_PSEUDO_MAP_FD || in->src_reg == BPF_PSEUDO_MAP_VALUE);
}

/* Instructions that load a map's address: the descriptor becomes the id, and the program holds the map. */
static int insns_of(struct object *o, const union bpf_attr *attr, struct bpf_insn *insns)
{
	uint64_t hash = 0xcbf29ce484222325;
	bool index;
	int err;

	memcpy(insns, POINTER(attr->insns), attr->insn_cnt * sizeof(*insns));
	for (uint32_t i = 0; i < attr->insn_cnt; i++) {
		struct bpf_insn *in = &insns[i];
		const int imm = in->imm;
		const struct object *map;

		in->imm = is_map(in, &index) ? 0 : imm; /* as bpf_prog_calc_tag() */
		for (size_t b = 0; b < sizeof(*in); b++)
			hash = (hash ^ ((unsigned char *)in)[b]) * 0x100000001b3;
		if (!is_map(in, &index))
			continue;
		map = object_of(index ? ((int *)POINTER(attr->fd_array))[imm] : imm, OBJECT_MAP, &err);
		if (!map)
			return err;
		object_hold(o, map);
		in->imm = (int)map->id;
		if (index)
			in->src_reg -= BPF_PSEUDO_MAP_IDX - BPF_PSEUDO_MAP_FD;
	}
	store_uint(o->info.prog.tag, sizeof(hash), hash, true);
	return 0;
}

static bool is_gpl(const char *license)
{
	static const char *const gpl[] = { "GPL",	   "GPL v2",	   "GPL and additional rights",
					   "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL" };

	for (size_t i = 0; i < ARRAY_SIZE(gpl); i++)
		if (!strcmp(license, gpl[i]))
			return true;
	return false;
}

static void contents_add(int file, const void *p, size_t n)
{
	if (n && write(file, p, n) != (ssize_t)n)
		FAKE_ABORT();
}

static int load_types(struct object *o, const union bpf_attr *attr, int file)
{
	const struct object *btf;
	int err;

	if (!attr->func_info_cnt && !attr->line_info_cnt)
		return 0;
	btf = object_of((int)attr->prog_btf_fd, OBJECT_BTF, &err);
	if (!btf)
		return err;
	object_hold(o, btf);
	o->info.prog.btf_id = btf->id;
	o->info.prog.nr_func_info = attr->func_info_cnt;
	o->info.prog.func_info_rec_size = attr->func_info_rec_size;
	o->info.prog.nr_line_info = attr->line_info_cnt;
	o->info.prog.line_info_rec_size = attr->line_info_rec_size;
	contents_add(file, POINTER(attr->func_info), (size_t)attr->func_info_cnt * attr->func_info_rec_size);
	contents_add(file, POINTER(attr->line_info), (size_t)attr->line_info_cnt * attr->line_info_rec_size);
	return 0;
}

/* The function or type of the kernel that the program is for. */
static int load_target(struct object *o, const union bpf_attr *attr)
{
	const struct object *prog;
	struct btf *btf;
	const struct btf_type *t;
	const char *name;
	int err;

	if (attr->attach_prog_fd) {
		prog = object_of((int)attr->attach_prog_fd, OBJECT_PROG, &err);
		if (!prog)
			return err;
		object_hold(o, prog);
		o->target = prog->id;
		o->info.prog.attach_btf_id = attr->attach_btf_id;
		o->info.prog.attach_btf_obj_id = prog->info.prog.btf_id;
		return 0;
	}
	btf = attr->attach_btf_id ? btf__parse("/sys/kernel/btf/vmlinux", NULL) : NULL;
	t = btf ? btf__type_by_id(btf, attr->attach_btf_id) : NULL;
	name = t ? btf__name_by_offset(btf, t->name_off) : "";

	snprintf(o->name, sizeof(o->name), "%s", str_starts(name, "bpf_iter_") ? name + strlen("bpf_iter_") : name);
	btf__free(btf);
	if (!attr->attach_btf_id)
		return 0;
	o->info.prog.attach_btf_id = attr->attach_btf_id;
	o->info.prog.attach_btf_obj_id = t ? kernel->objects[kernel->vmlinux - 1].id : 0;
	return t ? 0 : -EINVAL;
}

/* Copies what the verifier says; -ENOSPC as the kernel does, if it does not fit. */
int verifier_says(const union bpf_attr *attr, int err)
{
	const char *path = getenv("FAIL_LOG");
	STR text = { 0 };

	if (!path || !attr->log_buf || !attr->log_size || str_read_file(&text, path, 1 << 20))
		return err;
	if (text.n + 1 > attr->log_size)
		err = -ENOSPC;
	snprintf(POINTER(attr->log_buf), attr->log_size, "%s", text.p);
	return err;
}

static const unsigned char machine_code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3, 0xcc };

static bool is_compiled(void)
{
	STR text = { 0 };

	return !str_read_file(&text, "/proc/sys/net/core/bpf_jit_enable", 8) && text.p[0] == '1';
}

static uint64_t address_of(const struct object *prog)
{
	return 0xffffffffc0000000 + 0x1000ull * prog->id;
}

static int load(const union bpf_attr *attr)
{
	CLEAN_PTR struct bpf_insn *insns = calloc(attr->insn_cnt + 1, sizeof(*insns));
	CLEAN_FD file = -1;
	struct object *o;
	uint32_t maps = 0;
	int err;

	if (!attr->insn_cnt || attr->insn_cnt > 1000000)
		return -E2BIG;
	err = object_new(OBJECT_PROG, &o);
	if (err)
		return err;
	err = insns_of(o, attr, insns);
	file = object_file(o);
	contents_add(file, insns, attr->insn_cnt * sizeof(*insns));
	maps = o->nholds;
	if (!err)
		err = load_types(o, attr, file);
	if (!err)
		err = load_target(o, attr);
	if (err)
		return err;
	o->info_len = sizeof(o->info.prog);
	o->info.prog.type = attr->prog_type;
	o->info.prog.id = o->id;
	o->info.prog.xlated_prog_len = attr->insn_cnt * (uint32_t)sizeof(*insns);
	o->info.prog.load_time = getenv("CLOCK") ? fake_now() : 1000000000ull * o->id;
	o->info.prog.nr_map_ids = maps;
	o->info.prog.ifindex = 0;
	o->info.prog.flags = is_gpl(POINTER(attr->license)) ? ABI_PROG_GPL : 0;
	o->info.prog.nr_prog_tags = 1;
	if (is_compiled()) {
		o->info.prog.jited_prog_len = sizeof(machine_code);
		o->info.prog.nr_jited_ksyms = o->info.prog.nr_jited_func_lens = 1;
	}
	o->info.prog.verified_insns = attr->insn_cnt;
	memcpy(o->info.prog.name, attr->prog_name, 15);
	o->attach_type = attr->expected_attach_type;
	capture_load(o);
	announce_prog(o, false);
	return object_fd(o, O_RDWR);
}

static int load_btf(const union bpf_attr *attr)
{
	CLEAN_FD file = -1;
	struct object *o;
	int err = attr->btf_size < sizeof(struct abi_btf_header) ? -EINVAL : object_new(OBJECT_BTF, &o);

	if (err)
		return err;
	file = object_file(o);
	contents_add(file, POINTER(attr->btf), attr->btf_size);
	o->info_len = sizeof(o->info.btf);
	o->info.btf = (struct abi_btf_info){ .btf_size = attr->btf_size, .id = o->id };
	return object_fd(o, O_RDWR);
}

/* The constant that is last moved to r0. */
static int run(union bpf_attr *attr)
{
	int err;
	const struct object *o = object_of((int)attr->test.prog_fd, OBJECT_PROG, &err);
	uint32_t room = attr->test.data_size_out;
	CLEAN_FD file = o ? object_file(o) : -1;
	struct bpf_insn in;

	if (!o)
		return err;
	if ((o->info.prog.type == BPF_PROG_TYPE_RAW_TRACEPOINT || !strcmp(o->info.prog.name, "__loader.prog")) &&
	    !attr->test.data_size_in)
		return run_raw(o, attr);
	if (o->info.prog.type != ABI_PROG_XDP && o->info.prog.type != ABI_PROG_SCHED_CLS)
		return -ENOTSUPP;
	if (attr->test.data_size_in < 14)
		return -EINVAL;
	for (uint32_t i = 0; i < o->info.prog.xlated_prog_len / sizeof(in); i++)
		if (pread(file, &in, sizeof(in), (off_t)(i * sizeof(in))) == sizeof(in) && !in.dst_reg &&
		    (in.code == 0xb7 || in.code == 0xb4))
			attr->test.retval = (uint32_t)in.imm;
	run_sends(o, POINTER(attr->test.data_in), attr->test.data_size_in);
	run_counts(o);
	attr->test.duration = 100;
	attr->test.data_size_out = attr->test.data_size_in;
	if (!attr->test.data_out)
		return 0;
	memcpy(POINTER(attr->test.data_out), POINTER(attr->test.data_in),
	       room < attr->test.data_size_in ? room : attr->test.data_size_in);
	return room < attr->test.data_size_in ? -ENOSPC : 0;
}

/* Copies as much as there is room for; the count becomes the number that there are. */
static void array_out(int file, off_t at, uint64_t to, uint32_t room, uint32_t have, size_t size)
{
	if (to && room && have && pread(file, POINTER(to), (room < have ? room : have) * size, at) < 0)
		FAKE_ABORT();
}

static void prog_info_out(const struct object *o, struct abi_prog_info *user)
{
	const struct abi_prog_info *info = &o->info.prog, wish = *user;
	const off_t funcs = info->xlated_prog_len, lines = funcs + (off_t)info->nr_func_info * info->func_info_rec_size;
	CLEAN_FD file = object_file(o);
	uint32_t n = 0;

	*user = *info;
	user->xlated_prog_insns = wish.xlated_prog_insns;
	user->map_ids = wish.map_ids;
	user->func_info = wish.func_info;
	user->line_info = wish.line_info;
	user->prog_tags = wish.prog_tags;
	user->jited_prog_insns = wish.jited_prog_insns;
	user->jited_ksyms = wish.jited_ksyms;
	user->jited_func_lens = wish.jited_func_lens;
	if (wish.jited_prog_insns && wish.jited_prog_len)
		memcpy(POINTER(wish.jited_prog_insns), machine_code, info->jited_prog_len);
	if (wish.jited_ksyms && wish.nr_jited_ksyms && info->nr_jited_ksyms)
		*(uint64_t *)POINTER(wish.jited_ksyms) = address_of(o);
	if (wish.jited_func_lens && wish.nr_jited_func_lens && info->nr_jited_func_lens)
		*(uint32_t *)POINTER(wish.jited_func_lens) = info->jited_prog_len;
	array_out(file, 0, wish.xlated_prog_insns, wish.xlated_prog_len, info->xlated_prog_len, 1);
	array_out(file, funcs, wish.func_info, wish.nr_func_info, info->nr_func_info, info->func_info_rec_size);
	array_out(file, lines, wish.line_info, wish.nr_line_info, info->nr_line_info, info->line_info_rec_size);
	for (uint32_t i = 0; wish.map_ids && i < o->nholds && n < wish.nr_map_ids; i++)
		if (kernel->objects[o->holds[i]].kind == OBJECT_MAP)
			((uint32_t *)POINTER(wish.map_ids))[n++] = kernel->objects[o->holds[i]].id;
	if (wish.prog_tags && wish.nr_prog_tags)
		memcpy(POINTER(wish.prog_tags), info->tag, sizeof(info->tag));
}

static int btf_info_out(const struct object *o, struct abi_btf_info *user)
{
	const struct abi_btf_info wish = *user;
	CLEAN_FD file = object_file(o);

	if (!wish.name != !wish.name_len)
		return -EINVAL;
	if (wish.name)
		snprintf(POINTER(wish.name), wish.name_len, "%s", o->name);
	if (wish.name && wish.name_len <= strlen(o->name))
		return -ENOSPC;
	array_out(file, 0, wish.btf, wish.btf_size, o->info.btf.btf_size, 1);
	*user = o->info.btf;
	user->btf = wish.btf;
	user->name = wish.name;
	return 0;
}

int object_info(union bpf_attr *attr)
{
	union {
		struct abi_prog_info prog;
		struct abi_map_info map;
		struct abi_link_info link;
		struct abi_btf_info btf;
		unsigned char bytes[512];
	} info = { 0 };
	unsigned char *user = POINTER(attr->info.info);
	uint32_t len = attr->info.info_len;
	int err;
	const struct object *o = object_of((int)attr->info.bpf_fd, UINT_MAX, &err);

	if (!o || o->kind > OBJECT_BTF)
		return err;
	for (uint32_t i = o->info_len; i < len; i++)
		if (user[i])
			return -E2BIG;
	len = len < o->info_len ? len : o->info_len;
	memcpy(&info, user, len);
	err = 0;
	if (o->kind == OBJECT_PROG)
		prog_info_out(o, &info.prog);
	else if (o->kind == OBJECT_MAP)
		info.map = o->info.map;
	else if (o->kind == OBJECT_BTF)
		err = btf_info_out(o, &info.btf);
	else
		err = link_info(o, &info.link);
	if (err)
		return err;
	memcpy(user, &info, len);
	attr->info.info_len = len;
	return 0;
}

int prog_command(unsigned cmd, union bpf_attr *attr)
{
	switch (cmd) {
	case BPF_PROG_LOAD:
		return load(attr);
	case BPF_BTF_LOAD:
		return load_btf(attr);
	case BPF_PROG_TEST_RUN:
		return run(attr);
	default:
		return -ENOSYS;
	}
}
