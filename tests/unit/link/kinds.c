/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <stdio.h>

#include "link/link.h"
#include "kernel/abi.h"
#include "kernel/names.h"

#define ALL (NEED_TARGET | NEED_SYMBOLS | NEED_PROG)
#define STRING(s) \
	{ \
		s, sizeof(s) \
	}

struct link_case {
	struct abi_link_info info;
	struct fake_buf bufs[INFO_BUFS];
	const char *plain; /* after "5: TYPE  ", before the common fields */
	const char *json;  /* the part's members */
	const char *attach_to;
};

static const uint64_t offsets[] = { 0xe29a0, 0x10 }, counters[] = { 0, 7 }, cookies[] = { 0xab, 0 };
static const uint64_t addrs[] = { 0xffffffff81000204, 0xffffffff81000100, 0xffffffff81000999, 0xffffffffc0000000 };
static const uint64_t addr_cookies[] = { 2, 1, 3, 4 };
static const uint64_t hidden[2];
static const uint32_t func_ids[] = { 2, 9 };

/* clang-format off */
static const struct link_case cases[] = {
	{
		{ .type = 1, .raw_tracepoint.cookie = 77 }, { STRING("sys_enter") },
		"prog 9  \n\ttp 'sys_enter'  cookie 77  ", "\"tp_name\":\"sys_enter\",\"tracepoint\":\"sys_enter\",\"cookie\":77", "sys_enter",
	}, {
		{ .type = 1 }, { STRING("sys_enter") },
		"prog 9  \n\ttp 'sys_enter'  ", "\"tp_name\":\"sys_enter\",\"tracepoint\":\"sys_enter\",\"cookie\":0", "sys_enter",
	}, {
		{ .type = 2, .tracing = { .attach_type = 24, .target_obj_id = 1, .target_btf_id = 2, .cookie = 3 } }, { { 0 } },
		"prog 9  \n\tprog_type xdp  attach_type trace_fentry  \n\ttarget_obj_id 1  target_btf_id 2  \n\tcookie 3  ",
		"\"attach_type\":\"trace_fentry\",\"target_obj_id\":1,\"target_btf_id\":2,\"cookie\":3,\"target_name\":\"do_it\"",
		"do_it",
	}, {
		{ .type = 2, .tracing = { .attach_type = 26 } }, { { 0 } },
		"prog 9  \n\tprog_type xdp  attach_type modify_return  ",
		"\"attach_type\":\"modify_return\",\"target_obj_id\":0,\"target_btf_id\":0,\"cookie\":0", NULL,
	}, {
		{ .type = 3, .cgroup = { 25, 1 } }, { { 0 } },
		"prog 9  \n\tcgroup_id 25  attach_type cgroup_inet_egress  ",
		"\"cgroup_id\":25,\"attach_type\":\"cgroup_inet_egress\",\"cgroup_path\":\"/spec\"", "/spec",
	}, {
		{ .type = 3, .cgroup = { 26, 99 } }, { { 0 } },
		"prog 9  \n\tcgroup_id 26  attach_type unknown(99)  ",
		"\"cgroup_id\":26,\"attach_type\":\"unknown(99)\"", "cgroup 26",
	}, {
		{ .type = 3, .cgroup = { 0, 1 } }, { { 0 } },
		"prog 9  \n\tcgroup_id 0  attach_type cgroup_inet_egress  ",
		"\"cgroup_id\":0,\"attach_type\":\"cgroup_inet_egress\"", "(detached)",
	}, {
		{ .type = 4, .iter.task.tid = 0 }, { STRING("bpf_map") },
		"prog 9  target_name bpf_map  ", "\"target_name\":\"bpf_map\"", "bpf_map",
	}, {
		{ .type = 4, .iter.map_id = 30 }, { STRING("bpf_map_elem") },
		"prog 9  target_name bpf_map_elem  map_id 30  ", "\"target_name\":\"bpf_map_elem\",\"map_id\":30",
		"bpf_map_elem of map 30",
	}, {
		{ .type = 4, .iter.task.tid = 12 }, { STRING("task_vma") },
		"prog 9  target_name task_vma  tid 12 ", "\"target_name\":\"task_vma\",\"tid\":12", "task_vma of thread 12",
	}, {
		{ .type = 4, .iter.task.pid = 13 }, { STRING("task") },
		"prog 9  target_name task  pid 13 ", "\"target_name\":\"task\",\"pid\":13", "task of process 13",
	}, {
		{ .type = 4 }, { STRING("task_file") }, "prog 9  target_name task_file  ", "\"target_name\":\"task_file\"",
		"task_file",
	}, {
		{ .type = 4, .iter.cgroup = { 25, 2 } }, { STRING("cgroup") },
		"prog 9  target_name cgroup  cgroup_id 25  order descendants_pre  ",
		"\"target_name\":\"cgroup\",\"cgroup_id\":25,\"order\":\"descendants_pre\",\"cgroup_path\":\"/spec\"",
		"cgroup /spec",
	}, {
		{ .type = 4, .iter.cgroup = { 27, 9 } }, { STRING("cgroup") },
		"prog 9  target_name cgroup  cgroup_id 27  order unknown(9)  ",
		"\"target_name\":\"cgroup\",\"cgroup_id\":27,\"order\":\"unknown(9)\"", "cgroup 27",
	}, {
		{ .type = 5, .netns = { 4026531833, 36 } }, { { 0 } },
		"prog 9  \n\tnetns_ino 4026531833  attach_type sk_lookup  ",
		"\"netns_ino\":4026531833,\"attach_type\":\"sk_lookup\"", "netns 4026531833 (ours)",
	}, {
		{ .type = 6, .xdp.ifindex = 3 }, { { 0 } },
		"prog 9  \n\tifindex ifb1(3)  ", "\"devname\":\"ifb1\",\"ifindex\":3", "ifb1(3)",
	}, {
		{ .type = 6, .xdp.ifindex = 0 }, { { 0 } },
		"prog 9  \n\tifindex (detached)  ", "\"devname\":\"(detached)\",\"ifindex\":0", "(detached)",
	}, {
		{ .type = 7, .perf_event.type = 0 }, { { 0 } }, "prog 9  ", "", NULL,
	}, {
		{ .type = 7, .perf_event.type = 77 }, { { 0 } }, "prog 9  ", "", NULL,
	}, {
		{ .type = 7, .perf_event = { .type = 1, .uprobe = { .offset = 814112, .cookie = 153, .ref_ctr_offset = 16 } } },
		{ STRING("/bin/bash") },
		"prog 9  \n\tuprobe /bin/bash+0xc6c20  cookie 153  ref_ctr_offset 0x10  ",
		"\"retprobe\":false,\"file\":\"/bin/bash\",\"offset\":814112,\"cookie\":153,\"ref_ctr_offset\":16",
		"/bin/bash+0xc6c20",
	}, {
		{ .type = 7, .perf_event = { .type = 2, .uprobe = { .offset = 16 } } }, { STRING("/bin/bash") },
		"prog 9  \n\turetprobe /bin/bash+0x10  ",
		"\"retprobe\":true,\"file\":\"/bin/bash\",\"offset\":16,\"cookie\":0,\"ref_ctr_offset\":0", "/bin/bash+0x10",
	}, {
		{ .type = 7, .perf_event = { .type = 3, .kprobe = { .addr = 0xffffffff81000100, .missed = 2, .cookie = 9 } } },
		{ STRING("do_it") },
		"prog 9  \n\tkprobe ffffffff81000100 do_it  missed 2  cookie 9  ",
		"\"retprobe\":false,\"addr\":18446744071578845440,\"func\":\"do_it\",\"offset\":0,\"missed\":2,\"cookie\":9",
		"do_it",
	}, {
		{ .type = 7, .perf_event = { .type = 4, .kprobe = { .offset = 0x1f } } }, { STRING("do_it") },
		"prog 9  \n\tkretprobe do_it+0x1f  ",
		"\"retprobe\":true,\"addr\":0,\"func\":\"do_it\",\"offset\":31,\"missed\":0,\"cookie\":0", "do_it+0x1f",
	}, {
		{ .type = 7, .perf_event = { .type = 5, .tracepoint.cookie = 5 } }, { STRING("sched_switch") },
		"prog 9  \n\ttracepoint sched_switch  cookie 5  ", "\"tracepoint\":\"sched_switch\",\"cookie\":5", "sched_switch",
	}, {
		{ .type = 7, .perf_event = { .type = 6, .event = { .type = 1, .config = 0, .cookie = 5 } } }, { { 0 } },
		"prog 9  \n\tevent software:cpu-clock  cookie 5  ",
		"\"event_type\":\"software\",\"event_config\":\"cpu-clock\",\"cookie\":5", "software:cpu-clock",
	}, {
		{ .type = 7, .perf_event = { .type = 6, .event = { .type = 6, .cookie = 5 } } }, { { 0 } },
		"prog 9  \n\tevent 6 :0  cookie 5  ", "\"event_type\":6,\"event_config\":0,\"pmu\":\"cpu_clock\",\"cookie\":5", "software:cpu-clock",
	}, {
		{ .type = 7, .perf_event = { .type = 6, .event = { .type = 3, .config = 0x10002 } } }, { { 0 } },
		"prog 9  \n\tevent hw-cache:LLC-load-misses  ",
		"\"event_type\":\"hw-cache\",\"event_config\":\"LLC-load-misses\",\"cookie\":0", "hw-cache:LLC-load-misses",
	}, {
		{ .type = 7, .perf_event = { .type = 6, .event = { .type = 3, .config = 0x40309 } } }, { { 0 } },
		"prog 9  \n\tevent hw-cache:9-3-4  ",
		"\"event_type\":\"hw-cache\",\"event_config\":\"9-3-4\",\"cookie\":0", "hw-cache:9-3-4",
	}, {
		{ .type = 7, .perf_event = { .type = 6, .event = { .type = 0, .config = 10 } } }, { { 0 } },
		"prog 9  \n\tevent hardware:10  ", "\"event_type\":\"hardware\",\"event_config\":10,\"cookie\":0", "hardware:10",
	}, {
		{ .type = 7, .perf_event = { .type = 6, .event = { .type = 4, .config = UINT64_MAX } } }, { { 0 } },
		"prog 9  \n\tevent raw:18446744073709551615  ",
		"\"event_type\":\"raw\",\"event_config\":18446744073709551615,\"cookie\":0", "raw:18446744073709551615",
	}, {
		{ .type = 8, .kprobe_multi = { .count = 4, .flags = 1, .missed = 6 } },
		{ { addrs, sizeof(addrs) }, { addr_cookies, sizeof(addr_cookies) } },
		"prog 9  \n\tkretprobe.multi  func_cnt 4  missed 6  \n\taddr             cookie           func [module]"
		"\n\tffffffff81000100 1                do_it  \n\tffffffff81000204 2                do_more  "
		"\n\tffffffff81000999 3                ?  \n\tffffffffc0000000 4                in_mod [mod]  ",
		"\"retprobe\":true,\"func_cnt\":4,\"missed\":6,\"flags\":1,\"funcs\":["
		"{\"addr\":18446744071578845440,\"func\":\"do_it\",\"module\":null,\"cookie\":1},"
		"{\"addr\":18446744071578845700,\"func\":\"do_more\",\"module\":null,\"cookie\":2},"
		"{\"addr\":18446744071578847641,\"func\":null,\"module\":null,\"cookie\":3},"
		"{\"addr\":18446744072635809792,\"func\":\"in_mod\",\"module\":\"mod\",\"cookie\":4}]",
		"do_it and 3 more",
	}, {
		{ .type = 8, .kprobe_multi = { .count = 2 } },
		{ { hidden, sizeof(hidden) }, { addr_cookies, 16 } },
		"prog 9  \n\tkprobe.multi  func_cnt 2  \n\taddr             cookie           func [module]"
		"\n\t?                2                ?  \n\t?                1                ?  ",
		"\"retprobe\":false,\"func_cnt\":2,\"missed\":0,\"flags\":0,\"funcs\":["
		"{\"addr\":null,\"func\":null,\"module\":null,\"cookie\":2},{\"addr\":null,\"func\":null,\"module\":null,\"cookie\":1}]",
		"2 functions",
	}, {
		{ .type = 9, .prog_id = UINT32_MAX, .struct_ops.map_id = 30481 }, { { 0 } },
		"map 30481  ", "\"map_id\":30481", "map 30481",
	}, {
		{ .type = 10, .netfilter = { 10, 1, -300, 1 } }, { { 0 } },
		"prog 9  \n\tip6 input prio -300 flags 0x1",
		"\"pf\":10,\"hook\":1,\"prio\":-300,\"flags\":1,\"pf_name\":\"ip6\",\"hook_name\":\"input\"", "ip6 input prio -300",
	}, {
		{ .type = 10, .netfilter = { 3, 1, 0, 0 } }, { { 0 } },
		"prog 9  \n\tarp output prio 0",
		"\"pf\":3,\"hook\":1,\"prio\":0,\"flags\":0,\"pf_name\":\"arp\",\"hook_name\":\"output\"", "arp output prio 0",
	}, {
		{ .type = 10, .netfilter = { 3, 2, 0, 0 } }, { { 0 } },
		"prog 9  \n\tarp, hook 2, prio 0",
		"\"pf\":3,\"hook\":2,\"prio\":0,\"flags\":0,\"pf_name\":\"arp\",\"hook_name\":\"unknown(2)\"", "arp, hook 2, prio 0",
	}, {
		{ .type = 10, .netfilter = { 44, 4000000000, 5, 0 } }, { { 0 } },
		"prog 9  \n\tpf: 44, hook 4000000000, prio 5",
		"\"pf\":44,\"hook\":4000000000,\"prio\":5,\"flags\":0,\"pf_name\":\"unknown(44)\",\"hook_name\":\"unknown(4000000000)\"",
		"pf: 44, hook 4000000000, prio 5",
	}, {
		{ .type = 11, .tcx = { 3, 46 } }, { { 0 } },
		"prog 9  \n\tifindex ifb1(3)  attach_type tcx_ingress  ",
		"\"devname\":\"ifb1\",\"ifindex\":3,\"attach_type\":\"tcx_ingress\"", "ifb1(3)",
	}, {
		{ .type = 12, .uprobe_multi = { .count = 2, .flags = 1, .pid = 44 } },
		{ STRING("/usr/bin/bash"), { offsets, 16 }, { counters, 16 }, { cookies, 16 } },
		"prog 9  \n\turetprobe.multi  path /usr/bin/bash  func_cnt 2  pid 44  "
		"\n\toffset             ref_ctr_offset     cookies         "
		"\n\t0xe29a0            0x0                0xab              "
		"\n\t0x10               0x7                0x0               ",
		"\"retprobe\":true,\"path\":\"/usr/bin/bash\",\"func_cnt\":2,\"pid\":44,\"flags\":1,\"funcs\":["
		"{\"offset\":928160,\"ref_ctr_offset\":0,\"cookie\":171},{\"offset\":16,\"ref_ctr_offset\":7,\"cookie\":0}]",
		"/usr/bin/bash+0xe29a0 and 1 more",
	}, {
		{ .type = 13, .tcx = { 4000000000, 54 } }, { { 0 } },
		"prog 9  \n\tifindex (unknown)(4000000000)  attach_type netkit_primary  ",
		"\"devname\":\"(unknown)\",\"ifindex\":4000000000,\"attach_type\":\"netkit_primary\"", "(unknown)(4000000000)",
	}, {
		{ .type = 14, .sockmap = { 30155, 5 } }, { { 0 } },
		"prog 9  \n\tmap_id 30155  attach_type sk_skb_stream_verdict  ",
		"\"map_id\":30155,\"attach_type\":\"sk_skb_stream_verdict\"", "map 30155",
	}, {
		{ .type = 15, .tracing_multi = { .attach_type = 59, .count = 2 } },
		{ { func_ids, sizeof(func_ids) }, { addr_cookies, 16 } },
		"prog 9  \n\tattach_type trace_fentry_multi  func_cnt 2  \n\ttarget_btf_id    cookie           func"
		"\n\t2                2                do_it  \n\t9                1                ?  ",
		"\"attach_type\":\"trace_fentry_multi\",\"func_cnt\":2,\"funcs\":["
		"{\"target_btf_id\":2,\"func\":\"do_it\",\"cookie\":2},{\"target_btf_id\":9,\"func\":null,\"cookie\":1}]",
		"do_it and 1 more",
	}, {
		{ .type = 37 }, { { 0 } }, "prog 9  ", "", NULL,
	},
};
/* clang-format on */

/* The objects around the link: a program, a device, a cgroup, symbols and the kernel's types. */
static void add_world(struct fake_machine *m)
{
	struct abi_prog_info prog = { .type = 6, .id = 9, .name = "drop" };
	struct abi_btf_info btf = { .id = 1, .name_len = 8, .kernel_btf = 1 };
	const uint32_t btf_ids[] = { 1 };
	/* [1] FUNC_PROTO, [2] FUNC do_it */
	const struct {
		struct abi_btf_header h;
		uint32_t types[6];
		char strs[8];
	} types = {
		{ .magic = BTF_MAGIC,
		  .version = 1,
		  .hdr_len = sizeof(types.h),
		  .type_len = sizeof(types.types),
		  .str_off = sizeof(types.types),
		  .str_len = sizeof(types.strs) },
		{ 0, BTF_KIND_FUNC_PROTO << 24, 0, 1, BTF_KIND_FUNC << 24, 1 },
		"\0do_it",
	};

	fake_set(m, "prog/9/info", 0, &prog, sizeof(prog));
	fake_set(m, "btf/ids", 0, btf_ids, sizeof(btf_ids));
	fake_set(m, "btf/1/info", 0, &btf, sizeof(btf));
	fake_text(m, "btf/1/name", "vmlinux");
	fake_set(m, "btf/1/data", 0, &types, sizeof(types));
	fake_text(m, "sys/ifaces", "1 lo\n3 ifb1\n");
	fake_text(m, "sys/netns", "4 4026531833\n");
	fake_text(m, "sys/cgroups", "1 /\n25 /spec\n");
	fake_text(m, "sys/kallsyms",
		  "ffffffff81000000 T start\nffffffff81000100 T do_it\nffffffff81000200 T do_more\n"
		  "ffffffffc0000000 t in_mod\t[mod]\n");
}

static void add_bufs(struct fake_machine *m, const struct link_case *c)
{
	const struct link_kind *k = link_kind_of(&c->info);
	char key[256];
	int n = snprintf(key, sizeof(key), "link/5/buf/");

	if (!k || !k->nbufs)
		return;
	for (unsigned i = 0; i < k->nbufs; i++)
		n += snprintf(key + n, sizeof(key) - (size_t)n, "%s%u.%u.%u", i ? "+" : "", k->bufs[i].ptr,
			      k->bufs[i].len, k->bufs[i].elem);
	fake_bufs(m, key, c->bufs, k->nbufs);
}

/* The info as a kernel would return it: prog_id 0 of a case stands for 9, -1 for none. */
static struct abi_link_info case_info(const struct link_case *c)
{
	struct abi_link_info info = c->info;

	info.id = 5;
	info.prog_id = !info.prog_id ? 9 : info.prog_id == UINT32_MAX ? 0 : info.prog_id;
	return info;
}

static const char *case_type(const struct link_case *c)
{
	const char *word = names_of(&names_link_type, c->info.type);

	return word ? word : "unknown(37)";
}

static void check_case(const struct link_case *c)
{
	struct abi_link_info info = case_info(c);
	struct fake_machine m;
	char want[4096];
	void *rec;

	fake_init(&m);
	add_world(&m);
	fake_set(&m, "link/5/info", 0, &info, sizeof(info));
	add_bufs(&m, c);
	rec = fake_read(&m, &kind_link, 5, ALL, NULL);
	snprintf(want, sizeof(want), "5: %s  %s%s%s%s%s\n", case_type(c), c->plain,
		 info.prog_id || c->attach_to ? "\n\t" : "", info.prog_id ? "prog_name drop" : "",
		 c->attach_to ? info.prog_id ? "  attach_to " : "attach_to " : "", c->attach_to ? c->attach_to : "");
	assert_string_equal(fake_plain(&m, &kind_link, rec), want);
	snprintf(want, sizeof(want),
		 "{\"id\":5,\"link_id\":5,\"type\":\"%s\",\"link_type\":\"%s\",\"prog_id\":%u%s%s%s%s%s%s}",
		 case_type(c), case_type(c), info.prog_id,
		 info.prog_id ? ",\"prog_name\":\"drop\",\"prog_type\":\"xdp\"" : "",
		 c->attach_to ? ",\"attach_to\":\"" : "", c->attach_to ? c->attach_to : "", c->attach_to ? "\"" : "",
		 c->json[0] ? "," : "", c->json);
	assert_string_equal(fake_json(&m, &kind_link, rec, NULL), want);
	fake_free(&m);
}

static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_case(&cases[i]);
}

/* Every known type has a kind and a case here. */
static void test_complete(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < ABI_LINK_TYPES; type++) {
		bool seen = false;

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			seen |= cases[i].info.type == type;
		assert_true(seen);
		assert_non_null(link_kind_of(&(struct abi_link_info){ .type = type }));
	}
}

/* Truncate the info after each byte: an older kernel, or a damaged file. Only the missing members may change. */
static void test_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct abi_link_info info = case_info(&cases[i]);

		for (size_t len = 0; len <= sizeof(info); len += 4) {
			struct fake_machine m;
			void *rec;
			int err;

			fake_init(&m);
			add_world(&m);
			fake_set(&m, "link/5/info", 0, &info, len);
			add_bufs(&m, &cases[i]);
			rec = fake_read(&m, &kind_link, 5, ALL, &err);
			assert_int_equal(err, len < 8 ? -EBADMSG : 0);
			if (rec) {
				assert_non_null(strstr(fake_plain(&m, &kind_link, rec), "5: "));
				assert_non_null(strstr(fake_json(&m, &kind_link, rec, NULL), "\"id\":5"));
			}
			fake_free(&m);
		}
	}
}

/* Buffers with less or more than the info gives, and buffers that were refused. */
static void test_buffers(void **state)
{
	static const struct link_case c = {
		{ .type = 12, .uprobe_multi = { .count = UINT32_MAX } },
		{ STRING("/bin/sh"), { offsets, 16 }, { counters, 8 }, { NULL, 0 } },
		NULL,
		NULL,
		NULL,
	};
	struct abi_link_info info = case_info(&c);
	static const int errors[] = { -EPERM, -EBADMSG, -EFBIG };
	struct fake_machine m;
	size_t unknown = 0;
	void *rec;
	int err;

	(void)state;
	fake_init(&m);
	add_world(&m);
	fake_set(&m, "link/5/info", 0, &info, sizeof(info));
	add_bufs(&m, &c);
	rec = fake_read(&m, &kind_link, 5, ALL, NULL);
	assert_non_null(strstr(fake_json(&m, &kind_link, rec, &unknown), "\"func_cnt\":4294967295,"));
	assert_non_null(strstr(
		fake_json(&m, &kind_link, rec, &unknown),
		"\"funcs\":["
		"{\"offset\":928160,\"ref_ctr_offset\":0,\"cookie\":0},{\"offset\":16,\"ref_ctr_offset\":0,\"cookie\":0}]"));
	assert_int_equal(unknown, 0);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		fake_set(&m, m.answers[m.n - 1].key, errors[i], NULL, 0);
		rec = fake_read(&m, &kind_link, 5, ALL, NULL);
		unknown = 0;
		assert_non_null(strstr(fake_json(&m, &kind_link, rec, &unknown), "\"path\":null,"));
		assert_int_equal(unknown, 1);
	}
	/* The link was freed between the two calls. */
	fake_set(&m, m.answers[m.n - 1].key, -ENOENT, NULL, 0);
	assert_null(fake_read(&m, &kind_link, 5, ALL, &err));
	assert_int_equal(err, -ENOENT);
	fake_free(&m);
}

/* More functions than a kernel allows: unknown, instead of a table of gigabytes. */
static void test_too_many(void **state)
{
	static unsigned char all[8 + 4 * ((1 << 20) + 1)];
	const struct abi_link_info info = { .type = 15, .id = 5, .prog_id = 9, .tracing_multi.count = UINT32_MAX };
	const uint32_t bytes = sizeof(all) - 8, fewer = bytes - 4;
	struct fake_machine m;
	struct link_rec *r;
	char key[64];

	(void)state;
	fake_init(&m);
	fake_set(&m, "link/5/info", 0, &info, sizeof(info));
	snprintf(key, sizeof(key), "link/5/buf/%zu.%zu.4+%zu.%zu.8", offsetof(struct abi_link_info, tracing_multi.ids),
		 offsetof(struct abi_link_info, tracing_multi.count),
		 offsetof(struct abi_link_info, tracing_multi.cookies),
		 offsetof(struct abi_link_info, tracing_multi.count));
	memcpy(all, &bytes, sizeof(bytes));
	fake_set(&m, key, 0, all, sizeof(all));
	r = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_int_equal(r->has_bufs, AVAIL_UNKNOWN);
	assert_int_equal(r->nfuncs, 0);
	memcpy(all, &fewer, sizeof(fewer));
	fake_set(&m, key, 0, all, sizeof(all) - 4);
	r = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_int_equal(r->has_bufs, AVAIL_YES);
	assert_int_equal(r->nfuncs, 1 << 20);
	fake_free(&m);
}

static struct link_rec *read_target(struct fake_machine *m, const struct abi_prog_info *prog)
{
	fake_set(m, "prog/9/info", 0, prog, sizeof(*prog));
	return fake_read(m, &kind_link, 5, ALL, NULL);
}

/* A tracing link may be attached to another program: its target is then a function in that program's BTF. */
static void test_target_prog(void **state)
{
	const struct abi_link_info info = {
		.type = 2,
		.id = 5,
		.prog_id = 9,
		.tracing = { .attach_type = 24, .target_obj_id = 8, .target_btf_id = 2 },
	};
	const struct abi_prog_info target = { .type = 6, .id = 8, .btf_id = 1 };
	struct fake_machine m;
	struct link_rec *r;

	(void)state;
	fake_init(&m);
	add_world(&m);
	fake_set(&m, "link/5/info", 0, &info, sizeof(info));
	r = read_target(&m, &(struct abi_prog_info){ .type = 26, .attach_btf_obj_id = 1, .attach_btf_id = 2 });
	assert_string_equal(r->attach_to, "type 2 of prog 8");
	assert_int_equal(r->own.tracing.target_prog_id, 8);
	assert_int_equal(r->own.tracing.has_target, AVAIL_UNKNOWN);
	fake_set(&m, "prog/8/info", 0, &target, sizeof(target));
	/* Before it was attached, afterwards, and an extension. */
	r = read_target(&m, &(struct abi_prog_info){ .type = 26, .attach_btf_obj_id = 1, .attach_btf_id = 2 });
	assert_string_equal(r->attach_to, "do_it of prog 8");
	r = read_target(&m, &(struct abi_prog_info){ .type = 26, .attach_btf_id = 2 });
	assert_string_equal(r->attach_to, "do_it of prog 8");
	r = read_target(&m, &(struct abi_prog_info){ .type = 28 });
	assert_string_equal(r->attach_to, "do_it of prog 8");
	/* Loaded against BTF object 8 itself, or (before Linux 6.0) unknown: 8 is not a program. */
	r = read_target(&m, &(struct abi_prog_info){ .type = 26, .attach_btf_obj_id = 8, .attach_btf_id = 2 });
	assert_int_equal(r->own.tracing.target_prog_id, 0);
	assert_string_equal(r->attach_to, "type 2");
	r = read_target(&m, &(struct abi_prog_info){ .type = 26 });
	assert_int_equal(r->own.tracing.target_prog_id, 0);
	/* Not needed: no question about programs or types. */
	r = fake_read(&m, &kind_link, 5, 0, NULL);
	assert_int_equal(r->own.tracing.has_target, AVAIL_NO);
	assert_null(r->attach_to);
	assert_null(r->prog_name);
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),	cmocka_unit_test(test_complete), cmocka_unit_test(test_short),
		cmocka_unit_test(test_buffers), cmocka_unit_test(test_too_many), cmocka_unit_test(test_target_prog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
