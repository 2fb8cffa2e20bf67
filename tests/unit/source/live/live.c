/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel.h"
#include "source/elems.h"
#include "source/info.h"
#include "source/source.h"
#include "kernel/abi.h"

/* On the running kernel: each answer compared with libbpf's for the same object. */

static uint32_t map_id(int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

static bool has_id(struct source *s, const char *kind, uint32_t id)
{
	ARENA a = arena_new();
	struct blob b;
	bool found = false;
	uint32_t last = 0, v;

	assert_int_equal(source_get(s, a, &b, "%s/ids", kind), 0);
	assert_int_equal(b.n % 4, 0);
	for (size_t i = 0; i < b.n; i += 4) {
		memcpy(&v, b.p + i, 4);
		assert_true(v > last);
		last = v;
		found |= v == id;
	}
	return found;
}

static int load_prog(enum bpf_prog_type type, int map)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(type, "lens_test", "GPL", insns, ARRAY_SIZE(insns), NULL);

	assert_true(fd >= 0);
	return fd;
}

static void programs(void **state)
{
	NEEDS_BPF(state);
	struct source *s = *state;
	ARENA a = arena_new();
	CLEAN_FD map = bpf_map_create(BPF_MAP_TYPE_HASH, "lens_m", 4, 4, 8, NULL);
	int prog = load_prog(BPF_PROG_TYPE_SOCKET_FILTER, map);
	struct abi_prog_info info;
	struct bpf_prog_info want = { 0 };
	char xlated[64] = { 0 }, text[64];
	uint32_t len = sizeof(want), mid = map_id(map);
	struct blob b;

	assert_int_equal(bpf_obj_get_info_by_fd(prog, &want, &len), 0);
	assert_true(has_id(s, "prog", want.id));
	assert_true(has_id(s, "map", mid));
	assert_int_equal(info_get(over(s, a), a, OBJECT_PROG, want.id, &info, sizeof(info), &len), 0);
	assert_true(len >= sizeof(want) - 8);
	assert_memory_equal(&info, &want, len < sizeof(want) ? len : sizeof(want));
	assert_int_equal(source_get(s, a, &b, "prog/%u/map_ids", want.id), 0);
	assert_int_equal(b.n, 4);
	assert_memory_equal(b.p, &mid, 4);
	len = sizeof(want);
	memset(&want, 0, sizeof(want));
	want.xlated_prog_len = sizeof(xlated);
	want.xlated_prog_insns = (uintptr_t)xlated;
	assert_int_equal(bpf_obj_get_info_by_fd(prog, &want, &len), 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/xlated", want.id), 0);
	assert_int_equal(b.n, want.xlated_prog_len);
	assert_memory_equal(b.p, xlated, b.n);
	assert_int_equal(source_get(s, a, &b, "prog/%u/jited", want.id), 0);
	assert_true(b.n == 0 || b.n == want.jited_prog_len);
	assert_int_equal(source_get(s, a, &b, "prog/%u/prog_tags", want.id), 0);
	assert_memory_equal(b.p, want.tag, b.n ? 8 : 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/jited_ksyms", want.id), 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/jited_func_lens", want.id), 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/func_info", want.id), 0);
	assert_int_equal(b.n, 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/line_info", want.id), 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/jited_line_info", want.id), 0);
	assert_int_equal(source_get(s, a, &b, "prog/%u/fdinfo", want.id), 0);
	snprintf(text, sizeof(text), "prog_id:\t%u\n", want.id);
	assert_non_null(strstr(arena_str(a, (const char *)b.p, b.n), text));
	assert_int_equal(source_get(s, a, &b, "prog/%u/nonsense", want.id), -ENODATA);
	/* The kept descriptor is closed when the source idles: then the program is gone. */
	close(prog);
	source_idle(s);
	for (int i = 0; i < 200 && has_id(s, "prog", want.id); i++)
		usleep(10000);
	assert_int_equal(source_get(s, a, &b, "prog/%u/info", want.id), -ENOENT);
	assert_int_equal(source_get(s, a, &b, "prog/%u/xlated", want.id), -ENOENT);
}

static void assert_fdinfo(struct source *s, const char *kind, uint32_t id)
{
	ARENA a = arena_new();
	struct blob b;
	char key[16];
	uint64_t v;

	snprintf(key, sizeof(key), "%s_id", kind);
	assert_int_equal(source_get(s, a, &b, "%s/%u/fdinfo", kind, id), 0);
	assert_true(fdinfo_u64(b, key, &v));
	assert_int_equal(v, id);
	assert_true(fdinfo_u64(b, "memlock", &v));
}

/* The source keeps one such file open: its facts must be of the object that was asked about, for any descriptor number.
 */
static void fdinfos(void **state)
{
	NEEDS_BPF(state);
	struct source *s = *state;
	ARENA a = arena_new();
	CLEAN_FD map = bpf_map_create(BPF_MAP_TYPE_HASH, "lens_m", 4, 4, 8, NULL);
	CLEAN_FD other = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lens_o", 4, 4, 8, NULL);
	CLEAN_FD prog = load_prog(BPF_PROG_TYPE_SOCKET_FILTER, map);
	struct abi_prog_info info = { 0 };
	struct blob b;
	uint32_t id, len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(prog, &info, &len), 0);
	id = info.id;
	for (int round = 0; round < 4; round++) {
		assert_fdinfo(s, "map", map_id(map));
		assert_fdinfo(s, "map", map_id(other));
		if (round % 2)
			source_idle(s);
		/* The lowest number is now taken, or free again. */
		CLEAN_FD taken = dup(map);

		assert_true(taken >= 0);
		assert_fdinfo(s, "prog", id);
		assert_fdinfo(s, "map", map_id(map));
		assert_fdinfo(s, "prog", id);
		assert_int_equal(source_get(s, a, &b, "map/4294967295/fdinfo"), -ENOENT);
		source_idle(s);
	}
}

static void links(void **state)
{
	static const struct info_buf name = { 16, 24, 0 };
	NEEDS_BPF(state);
	struct source *s = *state;
	ARENA a = arena_new();
	CLEAN_FD map = bpf_map_create(BPF_MAP_TYPE_HASH, "lens_m", 4, 4, 8, NULL);
	CLEAN_FD prog = load_prog(BPF_PROG_TYPE_RAW_TRACEPOINT, map);
	CLEAN_FD link = bpf_raw_tracepoint_open("sched_process_exit", prog);
	struct bpf_link_info want = { 0 };
	struct abi_link_info info;
	uint32_t len = sizeof(want);
	struct blob b;

	if (link < 0)
		skip_because("links cannot be created here");
	assert_int_equal(bpf_obj_get_info_by_fd(link, &want, &len), 0);
	assert_true(has_id(s, "link", want.id));
	assert_int_equal(info_get(over(s, a), a, OBJECT_LINK, want.id, &info, sizeof(info), &len), 0);
	assert_int_equal(info.prog_id, want.prog_id);
	assert_int_equal(info.raw_tracepoint.tp_name, 0);
	assert_int_equal(info_bufs_get(over(s, a), a, OBJECT_LINK, want.id, &name, 1, &b), 0);
	assert_int_equal(b.n, sizeof("sched_process_exit"));
	assert_string_equal((const char *)b.p, "sched_process_exit");
	assert_int_equal(source_get(s, a, &b, "link/%u/buf/1.2", want.id), -ENODATA);
	assert_int_equal(source_get(s, a, &b, "link/%u/buf/60000.2.0", want.id), -ENODATA);
	assert_int_equal(source_get(s, a, &b, "link/%u/elems/start", want.id), -ENODATA);
	source_idle(s);
}

static void btfs(void **state)
{
	NEEDS_BPF(state);
	struct source *s = *state;
	ARENA a = arena_new();
	struct abi_btf_info info;
	struct blob ids, b;
	uint32_t id, len;

	assert_int_equal(source_get(s, a, &ids, "btf/ids"), 0);
	if (!ids.n)
		skip_because("the kernel has no BTF");
	memcpy(&id, ids.p, 4);
	assert_int_equal(info_get(over(s, a), a, OBJECT_BTF, id, &info, sizeof(info), &len), 0);
	assert_int_equal(info.id, id);
	assert_int_equal(source_get(s, a, &b, "btf/%u/data", id), 0);
	assert_int_equal(b.n, info.btf_size);
	assert_memory_equal(b.p, "\x9f\xeb", 2);
	assert_int_equal(source_get(s, a, &b, "btf/%u/name", id), 0);
	assert_int_equal(b.n, info.name_len);
	if (info.kernel_btf && id == 1)
		assert_memory_equal(b.p, "vmlinux", 7);
}

static void invalid_keys(void **state)
{
	static const char *const none[] = {
		"",
		"prog",
		"prog/",
		"prog//info",
		"prog/x/info",
		"prog/1",
		"prog/01/info",
		"prog/+1/info",
		"prog/4294967296/info",
		"prog/99999999999999999999999/info",
		"progs/ids",
		"prog/idsx",
		"cat/ids",
		"sys/",
		"sys/nonsense",
		"meta",
		"sys/ksym/",
		"sys/ksym/printk",
		"sys/ksym/16",
		"sys/ksym/0x",
	};
	NEEDS_BPF(state);
	struct source *s = *state;
	ARENA a = arena_new();
	struct blob b;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(source_get(s, a, &b, "%s", none[i]), -ENODATA);
	assert_int_equal(source_get(s, a, &b, "prog/0/info"), -ENOENT);
	assert_int_equal(source_get(s, a, &b, "map/4294967295/info"), -ENOENT);
	assert_int_equal(source_get(s, a, &b, "map/4294967295/elems/start"), -ENOENT);
	assert_int_equal(source_get(s, a, &b, "link/4294967295/fdinfo"), -ENOENT);
	assert_int_equal(source_get(s, a, &b, "btf/4294967295/data"), -ENOENT);
}

static void systems(void **state)
{
	static const char *const texts[] = { "ifaces", "netns",	  "clock",    "cpus", "uname",
					     "limits", "cgroups", "kallsyms", "pins" };
	NEEDS_BPF(state);
	NEEDS_SYSFS();
	struct source *s = *state;
	ARENA a = arena_new();
	struct blob b, symbols = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int err = source_get(s, a, &b, "sys/%s", texts[i]);

		assert_int_equal(err, 0);
		assert_true(!b.n || b.p[b.n - 1] == '\n');
		if (!strcmp(texts[i], "kallsyms"))
			symbols = b;
	}
	/* An answer that is too large to be copied still belongs to the caller. */
	assert_true(symbols.n > 64 << 10);
	assert_int_equal(source_get(s, a, &b, "sys/kallsyms"), 0);
	assert_true(b.p != symbols.p);
	assert_int_equal(symbols.p[symbols.n - 1], '\n');
	assert_memory_equal(b.p, symbols.p, 4096);
	if (!source_get(s, a, &b, "sys/vmlinux")) /* BTF's magic number; a kernel may have none */
		assert_true(b.n > 24 && (b.p[0] == 0x9f || b.p[0] == 0xeb));
	assert_int_equal(source_get(s, a, &b, "sys/holders"), 0);
	assert_int_equal(source_get(s, a, &b, "sys/ifaces"), 0);
	assert_non_null(strstr(arena_str(a, (const char *)b.p, b.n), " lo\n"));
	assert_int_equal(source_get(s, a, &b, "sys/limits"), 0);
	assert_memory_equal(b.p, "kptr_restrict ", 14);
	assert_true(source_get(s, a, &b, "pin//no/such/pin") < 0);
}

/* The kernel's answer for one symbol; objects that are loaded for it are not in a list. */
static void single_symbols(void **state)
{
	NEEDS_BPF(state);
	struct source *s = *state;
	ARENA a = arena_new();
	struct blob base, b;
	unsigned ours = 0;

	if (source_get(s, a, &base, "sys/ksym/__bpf_call_base"))
		skip_because("kernel addresses are hidden");
	assert_int_equal(source_get(s, a, &b, "sys/ksym/%s", arena_str(a, (const char *)base.p, base.n)), 0);
	assert_non_null(strstr(arena_str(a, (const char *)b.p, b.n), "__bpf_call_base+0x0/0x"));
	assert_int_equal(source_get(s, a, &b, "sys/ksym/0x0"), -ENOENT);
	assert_int_equal(source_get(s, a, &b, "sys/ksym/0x1000"), -ENOENT);
	source_idle(s);
	for (int fd = 3; fd < 100; fd++) {
		char path[40];
		STR text = { 0 };
		const char *word;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		if (str_read_file(&text, path, 1 << 20) || !text.n)
			continue;
		word = strstr(text.p, "prog_id:");
		if (word)
			assert_false(has_id(s, "prog", (uint32_t)atoi(word + 8)));
		ours += word != NULL;
		word = strstr(text.p, "map_id:");
		if (word)
			assert_false(has_id(s, "map", (uint32_t)atoi(word + 7)));
		ours += word != NULL;
	}
	assert_int_equal(ours, 3); /* the program, its constants, its variables */
}

/* A namespace outlives the process through which it was listed, because a descriptor holds it, too. */
static void namespaces(void **state)
{
	struct source *s = *state;
	ARENA a = arena_new();
	CLEAN_FD held = -1;
	struct stat st;
	char path[32], ready;
	struct blob b;
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ready = unshare(CLONE_NEWNET) ? 'n' : 'y';
		for (alarm(write(pipes[1], &ready, 1) == 1 ? 60 : 1);;)
			pause();
	}
	assert_int_equal(read(pipes[0], &ready, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	if (ready == 'y')
		held = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(source_get(s, a, &b, "sys/netns_list"), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (held < 0)
		skip_because("a network namespace cannot be made here");
	assert_int_equal(fstat(held, &st), 0);
	assert_int_equal(source_get(s, a, &b, "net/%lu/links", (unsigned long)st.st_ino), 0);
	assert_true(b.n > 0);
	source_idle(s);
	clean_fd(&held);
	/* The kernel frees it later. */
	for (int i = 0; i < 1000 && source_get(s, a, &b, "net/%lu/links", (unsigned long)st.st_ino) != -ENOENT; i++) {
		source_idle(s);
		usleep(1000);
	}
	assert_int_equal(source_get(s, a, &b, "net/%lu/links", (unsigned long)st.st_ino), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),	  cmocka_unit_test(fdinfos),	  cmocka_unit_test(links),
		cmocka_unit_test(btfs),		  cmocka_unit_test(invalid_keys), cmocka_unit_test(systems),
		cmocka_unit_test(single_symbols), cmocka_unit_test(namespaces),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
