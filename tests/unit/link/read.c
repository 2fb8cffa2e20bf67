/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <stdio.h>

#include "link/link.h"
#include "kernel/abi.h"
#include "host/holders.h"

static const struct abi_link_info xdp = { .type = ABI_LINK_XDP, .id = 5, .prog_id = 9, .xdp.ifindex = 3 };

static void test_refused(void **state)
{
	static const int errors[] = { -ENOENT, -EPERM, -EINVAL, -ENODATA };
	struct fake_machine m;
	int err;

	(void)state;
	fake_init(&m);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		fake_set(&m, "link/5/info", errors[i], NULL, 0);
		assert_null(fake_read(&m, &kind_link, 5, ~0u, &err));
		assert_int_equal(err, errors[i]);
	}
	fake_free(&m);
}

/* A struct that is longer than the known one is from a newer kernel. */
static void test_longer_info(void **state)
{
	struct {
		struct abi_link_info info;
		char more[64];
	} longer = { .info = xdp, .more = "new" };
	struct fake_machine m;
	struct link_rec *r;

	(void)state;
	fake_init(&m);
	fake_set(&m, "link/5/info", 0, &longer, sizeof(longer));
	r = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_int_equal(r->info_len, sizeof(r->info));
	assert_string_equal(r->attach_to, "(unknown)(3)");
	fake_free(&m);
}

/* An older kernel's struct ends before a member: that member is unknown, and counted. */
static void test_older_info(void **state)
{
	const struct abi_link_info info = { .type = ABI_LINK_RAW_TRACEPOINT, .id = 5, .prog_id = 9 };
	struct fake_machine m;
	size_t unknown = 0;
	void *rec;

	(void)state;
	fake_init(&m);
	fake_set(&m, "link/5/info", 0, &info, offsetof(struct abi_link_info, raw_tracepoint.cookie));
	fake_bufs(&m, "link/5/buf/16.24.0", &(struct fake_buf){ "sys_exit", 9 }, 1);
	rec = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_string_equal(
		fake_json(&m, &kind_link, rec, &unknown),
		"{\"id\":5,\"link_id\":5,\"type\":\"raw_tracepoint\",\"link_type\":\"raw_tracepoint\",\"prog_id\":9,"
		"\"attach_to\":\"sys_exit\",\"tp_name\":\"sys_exit\",\"tracepoint\":\"sys_exit\"}");
	assert_int_equal(unknown, 0);
	fake_free(&m);
}

static void test_program(void **state)
{
	struct abi_prog_info prog = { .type = 6, .id = 9, .name = "drop" };
	struct fake_machine m;
	struct link_rec *r;

	(void)state;
	fake_init(&m);
	fake_set(&m, "link/5/info", 0, &xdp, sizeof(xdp));
	fake_set(&m, "link/6/info", 0, &xdp, sizeof(xdp));
	fake_set(&m, "prog/9/info", 0, &prog, sizeof(prog));
	r = fake_read(&m, &kind_link, 5, NEED_PROG, NULL);
	assert_string_equal(r->prog_name, "drop");
	assert_string_equal(r->prog_type, "xdp");
	/* It is asked for once for all links. */
	fake_set(&m, "prog/9/info", -EPERM, NULL, 0);
	arena_clear(m.env.arena);
	r = fake_read(&m, &kind_link, 6, NEED_PROG, NULL);
	assert_int_equal(r->info.id, 6);
	assert_string_equal(r->prog_name, "drop");
	fake_free(&m);
}

static void test_program_unreadable(void **state)
{
	static const struct {
		int err;
		enum avail avail;
	} cases[] = { { -ENOENT, AVAIL_NO }, { -EPERM, AVAIL_UNKNOWN } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fake_machine m;
		struct link_rec *r;

		fake_init(&m);
		fake_set(&m, "link/5/info", 0, &xdp, sizeof(xdp));
		fake_set(&m, "prog/9/info", cases[i].err, NULL, 0);
		r = fake_read(&m, &kind_link, 5, NEED_PROG, NULL);
		assert_int_equal(r->has_prog, cases[i].avail);
		assert_null(r->prog_name);
		fake_free(&m);
	}
}

static void test_holders_and_pins(void **state)
{
	static const struct holder_raw holders[] = {
		{ OBJECT_LINK, 5, 40, 0, 77, "agent" },
		{ OBJECT_LINK,
		  5,
		  20,
		  0,
		  77,
		  { 's', 'i', 'x', 't', 'e', 'e', 'n', '-', 'b', 'y', 't', 'e', 's', '-', 'x', 'x' } },
		{ OBJECT_PROG, 5, 1, 0, 0, "no" },
	};
	struct abi_link_info perf = { .type = ABI_LINK_PERF_EVENT, .id = 5, .prog_id = 9 };
	struct fake_machine m;
	void *rec;

	(void)state;
	fake_init(&m);
	m.skip = 0;
	fake_set(&m, "link/5/info", 0, &perf, sizeof(perf));
	perf.id = 6;
	fake_set(&m, "link/6/info", 0, &perf, sizeof(perf));
	fake_set(&m, "sys/holders", 0, holders, sizeof(holders));
	fake_text(&m, "sys/pins", "link 5 /sys/fs/bpf/b\nprog 5 /sys/fs/bpf/x\nlink 5 /sys/fs/bpf/a\n");
	rec = fake_read(&m, &kind_link, 5, NEED_PINS | NEED_HOLDERS, NULL);
	assert_string_equal(fake_plain(&m, &kind_link, rec),
			    "5: perf_event  prog 9  \n\tpinned /sys/fs/bpf/a\n\tpinned /sys/fs/bpf/b\n\tbpf_cookie 77\n"
			    "\tpids sixteen-bytes-xx(20), agent(40)\n");
	assert_string_equal(
		fake_json(&m, &kind_link, rec, NULL),
		"{\"id\":5,\"link_id\":5,\"type\":\"perf_event\",\"link_type\":\"perf_event\",\"prog_id\":9,\"pinned\":[\"/sys/fs/bpf/a\",\"/sys/fs/bpf/b\"],"
		"\"bpf_cookie\":77,\"pids\":[{\"pid\":20,\"comm\":\"sixteen-bytes-xx\"},{\"pid\":40,\"comm\":\"agent\"}]}");
	/* Another link is pinned: the key exists, and is empty. */
	rec = fake_read(&m, &kind_link, 6, NEED_PINS | NEED_HOLDERS, NULL);
	assert_string_equal(
		fake_json(&m, &kind_link, rec, NULL),
		"{\"id\":6,\"link_id\":6,\"type\":\"perf_event\",\"link_type\":\"perf_event\",\"prog_id\":9,\"pinned\":[]}");
	assert_string_equal(fake_plain(&m, &kind_link, rec), "6: perf_event  prog 9  \n");
	fake_free(&m);
}

static void test_nobody_pinned(void **state)
{
	struct fake_machine m;
	size_t unknown = 0;
	void *rec;

	(void)state;
	fake_init(&m);
	m.skip = 0;
	fake_set(&m, "link/5/info", 0, &xdp, sizeof(xdp));
	fake_text(&m, "sys/pins", "prog 5 /sys/fs/bpf/x\n");
	fake_set(&m, "sys/holders", -EPERM, NULL, 0);
	rec = fake_read(&m, &kind_link, 5, NEED_PINS, NULL);
	assert_null(strstr(fake_json(&m, &kind_link, rec, &unknown), "pinned"));
	assert_int_equal(unknown, 0);
	rec = fake_read(&m, &kind_link, 5, NEED_HOLDERS, NULL);
	assert_non_null(strstr(fake_json(&m, &kind_link, rec, &unknown), "\"pids\":null"));
	assert_int_equal(unknown, 1);
	fake_free(&m);
}

/* A type that only the running kernel knows has the kernel's name. */
static void test_kernels_word(void **state)
{
	const struct abi_link_info info = { .type = 16, .id = 5, .prog_id = 9 };
	const struct abi_btf_info btf = { .id = 1, .name_len = 8, .kernel_btf = 1 };
	const uint32_t ids[] = { 1 };
	/* [1] ENUM bpf_link_type { BPF_LINK_TYPE_NEW = 16 } */
	const struct {
		struct abi_btf_header h;
		uint32_t types[5];
		char strs[33];
	} types = {
		{ .magic = BTF_MAGIC,
		  .version = 1,
		  .hdr_len = sizeof(types.h),
		  .type_len = sizeof(types.types),
		  .str_off = sizeof(types.types),
		  .str_len = sizeof(types.strs) },
		{ 1, BTF_KIND_ENUM << 24 | 1, 4, 15, 16 },
		"\0bpf_link_type\0BPF_LINK_TYPE_NEW",
	};
	struct object_label label;
	struct fake_machine m;
	struct err e = { 0 };
	struct link_rec *r;

	(void)state;
	fake_init(&m);
	fake_set(&m, "link/5/info", 0, &info, sizeof(info));
	r = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_string_equal(r->type, "unknown(16)");
	fake_free(&m);

	fake_init(&m);
	fake_set(&m, "link/5/info", 0, &info, sizeof(info));
	fake_set(&m, "btf/ids", 0, ids, sizeof(ids));
	fake_set(&m, "btf/1/info", 0, &btf, sizeof(btf));
	fake_text(&m, "btf/1/name", "vmlinux");
	fake_set(&m, "btf/1/data", 0, &types, sizeof(types));
	r = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_string_equal(r->type, "new");
	assert_null(r->kind);
	assert_int_equal(kind_link.label(&m.env, m.env.arena, 5, &label, &e), 0);
	assert_string_equal(label.type, "new");
	assert_string_equal(label.name, "");
	assert_string_equal(label.tag, "");
	assert_int_equal(kind_link.label(&m.env, m.env.arena, 7, &label, &e), -ENODATA);
	fake_free(&m);
}

/* A process that held the link may have ended: then the file is looked for in the caller's mount namespace. */
static void test_func_at(void **state)
{
	struct fake_machine m;
	const char *file;

	(void)state;
	fake_init(&m);
	fake_set(&m, "func/7/0x10//bin/a", 0, "inside", 6);
	fake_set(&m, "func/0/0x10//bin/a", 0, "outside", 7);
	assert_string_equal(link_func_at(&m.env, m.env.arena, 7, "/bin/a", 0x10, &file), "inside");
	assert_string_equal(file, "/bin/a");
	assert_string_equal(link_func_at(&m.env, m.env.arena, 8, "/bin/a", 0x10, NULL), "outside");
	assert_string_equal(link_func_at(&m.env, m.env.arena, 0, "/bin/a", 0x10, NULL), "outside");
	assert_null(link_func_at(&m.env, m.env.arena, 7, "/bin/a", 0x11, NULL));
	assert_null(link_func_at(&m.env, m.env.arena, 7, "/bin/../bin/a", 0x10, NULL));
	assert_null(link_func_at(&m.env, m.env.arena, 7, "a", 0x10, &file));
	assert_string_equal(file, "a");
	fake_set(&m, "func/7/0x10//there", 0, "f", 1);
	fake_set(&m, "func/0/0x10//there", -ENOENT, "", 0);
	assert_string_equal(link_func_at(&m.env, m.env.arena, 7, "/there", 0x10, &file), "f");
	assert_string_equal(file, "/proc/7/root/there");
	fake_set(&m, "func/7/0x10//gone", -ENOENT, "", 0);
	fake_set(&m, "func/0/0x10//gone", -ENOENT, "", 0);
	assert_null(link_func_at(&m.env, m.env.arena, 7, "/gone", 0x10, &file));
	assert_string_equal(file, "/gone (deleted)");
	fake_set(&m, "func/0/0x10//gone (deleted)", -ENOENT, "", 0);
	assert_null(link_func_at(&m.env, m.env.arena, 0, "/gone (deleted)", 0x10, &file));
	assert_string_equal(file, "/gone (deleted)");
	assert_int_equal(machine_refusals(m.env.machine), 1);
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_longer_info),
		cmocka_unit_test(test_older_info),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_program_unreadable),
		cmocka_unit_test(test_holders_and_pins),
		cmocka_unit_test(test_nobody_pinned),
		cmocka_unit_test(test_kernels_word),
		cmocka_unit_test(test_func_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
