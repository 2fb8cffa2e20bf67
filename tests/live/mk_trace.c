/* SPDX-License-Identifier: BSD-2-Clause */
/* Links at functions: of the kernel, its modules and other programs. Most need a kernel with kprobes and trampolines.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "mkobj.h"

static void multi_link(const char *name, const char *prog, uint32_t type, uint32_t flags)
{
	static const char *const syms[] = { "bpf_fentry_test1", "bpf_fentry_test2", "bpf_fentry_test3" };
	static const uint64_t cookies[] = { 0x101, 0x202, 0x303 };
	struct link_attr attr = { .prog_fd = (uint32_t)prog_fd(prog), .attach_type = type };

	attr.kprobe_multi.flags = flags;
	attr.kprobe_multi.cnt = 3;
	attr.kprobe_multi.syms = (uintptr_t)syms;
	attr.kprobe_multi.cookies = (uintptr_t)cookies;
	fact("link", name, link_create(&attr), "type=kprobe_multi func_cnt=3");
}

/* One program of trace.bpf.o, loaded for function @func of program @target (-1: for the target in its section name). */
static struct bpf_program *load_one(const struct place *p, const char *name, const char *type, int target,
				    unsigned attach)
{
	char path[512];
	struct bpf_object *o;
	struct bpf_program *prog;

	snprintf(path, sizeof(path), "%s/trace.bpf.o", p->objects);
	o = bpf_object__open_file(path, NULL);
	if (!o) {
		fact("prog", name, -errno, "x");
		return NULL;
	}
	bpf_object__for_each_program(prog, o)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), name));
	prog = bpf_object__find_program_by_name(o, name);
	if (attach)
		bpf_program__set_expected_attach_type(prog, attach);
	if (target >= 0)
		bpf_program__set_attach_target(prog, target, "replaceable");
	if (bpf_object__load(o)) {
		fact("prog", name, -errno, "x");
		return NULL;
	}
	fact("prog", name, bpf_program__fd(prog), "type=%s", type);
	return prog;
}

static void attach_one(const char *name, struct bpf_program *prog, const char *facts)
{
	struct bpf_link *link = prog ? bpf_program__attach(prog) : NULL;

	if (prog)
		fact("link", name, link ? bpf_link__fd(link) : -errno, "type=tracing %s", facts);
}

static int host_load(const struct place *p)
{
	struct bpf_program *host = load_one(p, "has_functions", "socket_filter", -1, 0);

	return host ? bpf_program__fd(host) : -1;
}

static void tracing_links(const struct place *p)
{
	struct bpf_program *prog;
	int target;

	/* A function that an extension replaces cannot also be traced: each has its own target. */
	target = host_load(p);
	if (target >= 0)
		attach_one("freplace", load_one(p, "replacement", "ext", target, 0), "target_name=replaceable");
	target = host_load(p);
	if (target >= 0)
		attach_one("fentry_prog", load_one(p, "enters_prog", "tracing", target, 0), "target_name=replaceable");
	attach_one("fmod_ret", load_one(p, "changes_return", "tracing", -1, 0), "target_name=bpf_modify_return_test");
	attach_one("fsession", load_one(p, "in_session", "tracing", -1, ATTACH_TRACE_FSESSION),
		   "target_name=bpf_fentry_test1");
	attach_one("fentry_module", load_one(p, "in_module", "tracing", -1, 0), "target_name=p9_client_destroy");
	attach_one("lsm", load_one(p, "guards_open", "lsm", -1, 0), "target_name=bpf_lsm_file_open");

	prog = load_one(p, "with_cookie", "tracing", -1, 0);
	if (prog) {
		struct link_attr attr = { .prog_fd = (uint32_t)bpf_program__fd(prog), .attach_type = BPF_TRACE_FENTRY };

		attr.tracing.cookie = 0xc00c1e;
		fact("link", "fentry_cookie", link_create(&attr), "type=tracing target_name=bpf_fentry_test1 cookie=%d",
		     0xc00c1e);
	}
	prog = p->cgroup >= 0 ? load_one(p, "guards_bind", "lsm", -1, 0) : NULL;
	if (prog) {
		struct link_attr attr = { .prog_fd = (uint32_t)bpf_program__fd(prog),
					  .target = (uint32_t)p->cgroup,
					  .attach_type = BPF_LSM_CGROUP };

		fact("link", "lsm_cgroup", link_create(&attr), "type=cgroup");
	}
}

void make_trace_links(const struct place *p)
{
	multi_link("kmulti", "l_kmulti", BPF_TRACE_KPROBE_MULTI, 0);
	multi_link("kretmulti", "l_kmulti", BPF_TRACE_KPROBE_MULTI, BPF_F_KPROBE_MULTI_RETURN);
	multi_link("ksession", "l_ksession", ATTACH_KPROBE_SESSION, 0);
	tracing_links(p);
}
