/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <netinet/in.h>
#include <unistd.h>
#include "mkobj.h"

int link_create(struct link_attr *attr)
{
	/* Older kernels refuse unknown members only if they are not zero. */
	int fd = (int)syscall(__NR_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

static int simple_link(const char *prog, uint32_t target, uint32_t type)
{
	struct link_attr attr = { .prog_fd = (uint32_t)prog_fd(prog), .target = target, .attach_type = type };

	return link_create(&attr);
}

/* Functions to attach probes to; they are never called. */
__attribute__((noinline)) void probed_one(void);
__attribute__((noinline)) void probed_one(void)
{
	__asm__ volatile("nop");
}
__attribute__((noinline)) void probed_two(void);
__attribute__((noinline)) void probed_two(void)
{
	__asm__ volatile("nop;nop");
}

/* Offset of code at @addr in the file of this process; 0: not found. */
static uint64_t file_offset(uint64_t addr)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, off, ret = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &off) == 3 && addr >= start &&
		    addr < end)
			ret = addr - start + off;
	if (f)
		fclose(f);
	return ret;
}

static int read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

static int perf_link(const char *prog, struct perf_event_attr *attr, uint64_t cookie)
{
	struct link_attr link = { .prog_fd = (uint32_t)prog_fd(prog), .attach_type = BPF_PERF_EVENT };
	int fd;

	attr->size = sizeof(*attr);
	fd = (int)syscall(__NR_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link.target = (uint32_t)fd;
	link.perf_event.cookie = cookie;
	return link_create(&link);
}

static void perf_links(void)
{
	struct perf_event_attr tick = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1u << 30 };
	struct perf_event_attr faults = { .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
					  .sample_period = 1u << 30 };
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE,
					  .config = PERF_COUNT_HW_CPU_CYCLES,
					  .sample_period = 1u << 30 };
	struct perf_event_attr cache = { .type = PERF_TYPE_HW_CACHE, .config = 0x10002, .sample_period = 1u << 30 };
	struct perf_event_attr tp = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_event_attr probe = { .config = 0 };
	static char self[512], func[] = "do_nanosleep";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int type;

	self[n > 0 ? n : 0] = '\0';
	fact("link", "pe_clock", perf_link("l_perf", &tick, 5), "type=perf_event");
	fact("link", "pe_faults", perf_link("l_perf", &faults, 0), "type=perf_event");
	fact("link", "pe_cycles", perf_link("l_perf", &cycles, 0), "type=perf_event");
	fact("link", "pe_cache", perf_link("l_perf", &cache, 0), "type=perf_event");
	tp.config = (uint64_t)read_number("/sys/kernel/tracing/events/sched/sched_process_hang/id");
	fact("link", "pe_tp", (int)tp.config < 0 ? -ENOENT : perf_link("l_tracepoint", &tp, 3), "type=perf_event");

	type = read_number("/sys/bus/event_source/devices/uprobe/type");
	probe.type = (uint32_t)type;
	probe.config1 = (uint64_t)(uintptr_t)self;
	probe.config2 = file_offset((uintptr_t)probed_one);
	fact("link", "uprobe", type < 0 ? -ENOENT : perf_link("l_kprobe", &probe, 0x99), "type=perf_event path=%s",
	     self);
	probe.config = 1;
	fact("link", "uretprobe", type < 0 ? -ENOENT : perf_link("l_kprobe", &probe, 0), "type=perf_event path=%s",
	     self);
	type = read_number("/sys/bus/event_source/devices/kprobe/type");
	probe.type = (uint32_t)type;
	probe.config = 0;
	probe.config1 = (uint64_t)(uintptr_t)func;
	probe.config2 = 0;
	fact("link", "kprobe", type < 0 ? -ENOENT : perf_link("l_kprobe", &probe, 7), "type=perf_event");
	probe.config = 1;
	fact("link", "kretprobe", type < 0 ? -ENOENT : perf_link("l_kprobe", &probe, 0), "type=perf_event");

	uint64_t offsets[2] = { file_offset((uintptr_t)probed_one), file_offset((uintptr_t)probed_two) };
	uint64_t cookies[2] = { 11, 22 };
	struct link_attr multi = { .prog_fd = (uint32_t)prog_fd("l_umulti"), .attach_type = ATTACH_UPROBE_MULTI };

	multi.uprobe_multi.path = (uintptr_t)self;
	multi.uprobe_multi.offsets = (uintptr_t)offsets;
	multi.uprobe_multi.cookies = (uintptr_t)cookies;
	multi.uprobe_multi.cnt = 2;
	fact("link", "umulti", link_create(&multi), "type=uprobe_multi path=%s", self);
	multi.uprobe_multi.cookies = 0;
	multi.uprobe_multi.flags = 1;
	multi.uprobe_multi.pid = (uint32_t)getpid();
	fact("link", "uretmulti", link_create(&multi), "type=uprobe_multi path=%s", self);
}

static void iter_links(const struct place *p)
{
	union bpf_iter_link_info info;
	struct link_attr attr = { .attach_type = BPF_TRACE_ITER };
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "iterated", 4, 4, 4, NULL);

	fact("map", "iterated", map, "type=hash");
	fact("link", "it_task", simple_link("iter_task", 0, BPF_TRACE_ITER), "type=iter");
	fact("link", "it_map", simple_link("iter_map", 0, BPF_TRACE_ITER), "type=iter");
	memset(&info, 0, sizeof(info));
	attr.iter.info = (uintptr_t)&info;
	attr.iter.len = sizeof(info);
	attr.prog_fd = (uint32_t)prog_fd("iter_task");
	info.task.pid = (uint32_t)getpid();
	/* Before Linux 6.1 an iterator over tasks has no argument, and the id of a thread is taken for the descriptor
	 * of a map. */
	if (fact("link", "it_pid", link_create(&attr), "type=iter pid=%d", getpid()) >= 0) {
		info.task.pid = 0;
		info.task.tid = (uint32_t)getpid();
		fact("link", "it_tid", link_create(&attr), "type=iter tid=%d", getpid());
	}
	memset(&info, 0, sizeof(info));
	info.map.map_fd = (uint32_t)map;
	attr.prog_fd = (uint32_t)prog_fd("iter_elem");
	fact("link", "it_elem", link_create(&attr), "type=iter");
	memset(&info, 0, sizeof(info));
	if (p->cgroup >= 0) {
		info.cgroup.cgroup_fd = (uint32_t)p->cgroup;
		info.cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE;
		attr.prog_fd = (uint32_t)prog_fd("iter_cgroup");
		fact("link", "it_cgroup", link_create(&attr), "type=iter");
	}
}

static void net_links(const struct place *p)
{
	struct link_attr nf = { .prog_fd = (uint32_t)prog_fd("l_netfilter"), .attach_type = ATTACH_NETFILTER };
	int netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int sockmap = bpf_map_create(BPF_MAP_TYPE_SOCKMAP, "linked_socks", 4, 4, 2, NULL);
	int link = simple_link("l_xdp", 1, BPF_XDP);
	unsigned netkit = if_nametoindex(NETKIT);

	fact("link", "xdp", link, "type=xdp ifindex=1 devname=lo");
	pin_fact(p, "link", "xdp_link", link);
	fact("link", "tcx_in", simple_link("l_tc", 1, ATTACH_TCX_INGRESS), "type=tcx ifindex=1 devname=lo");
	fact("link", "tcx_out", simple_link("l_tc", 1, ATTACH_TCX_EGRESS), "type=tcx ifindex=1 devname=lo");
	if (netkit) {
		fact("link", "netkit", simple_link("l_tc", netkit, ATTACH_NETKIT_PRIMARY),
		     "type=netkit ifindex=%u devname=%s", netkit, NETKIT);
		fact("link", "netkit_peer", simple_link("l_tc", netkit, ATTACH_NETKIT_PEER), "type=netkit");
	} else {
		fprintf(stderr, "skip link netkit: no device %s\n", NETKIT);
	}
	fact("link", "netns_lookup", simple_link("l_sk_lookup", (uint32_t)netns, BPF_SK_LOOKUP), "type=netns");
	fact("link", "netns_flow", simple_link("l_flow", (uint32_t)netns, BPF_FLOW_DISSECTOR), "type=netns");
	nf.netfilter.pf = 2;
	nf.netfilter.hook = 1;
	nf.netfilter.prio = -128;
	fact("link", "nf4", link_create(&nf), "type=netfilter");
	nf.netfilter.pf = 10;
	nf.netfilter.hook = 4;
	nf.netfilter.prio = 300;
	nf.netfilter.flags = 1;
	fact("link", "nf6", link_create(&nf), "type=netfilter");
	fact("map", "linked_socks", sockmap, "type=sockmap");
	fact("link", "sockmap", simple_link("l_sk_skb", (uint32_t)sockmap, BPF_SK_SKB_STREAM_VERDICT), "type=sockmap");
	if (p->cgroup >= 0) {
		static const struct {
			const char *name, *prog;
			unsigned type;
		} cg[] = {
			{ "cg_egress", "l_cg_egress", BPF_CGROUP_INET_EGRESS },
			{ "cg_ingress", "l_cg_ingress", BPF_CGROUP_INET_INGRESS },
			{ "cg_sock", "l_cg_sock", BPF_CGROUP_INET_SOCK_CREATE },
			{ "cg_connect", "l_cg_connect", BPF_CGROUP_INET4_CONNECT },
			{ "cg_device", "l_cg_device", BPF_CGROUP_DEVICE },
			{ "cg_sysctl", "l_cg_sysctl", BPF_CGROUP_SYSCTL },
			{ "cg_sockopt", "l_cg_sockopt", BPF_CGROUP_GETSOCKOPT },
			{ "cg_sock_ops", "l_sock_ops", BPF_CGROUP_SOCK_OPS },
		};
		for (size_t i = 0; i < sizeof(cg) / sizeof(*cg); i++)
			fact("link", cg[i].name, simple_link(cg[i].prog, (uint32_t)p->cgroup, cg[i].type),
			     "type=cgroup");
	}
	/* A link that exists longer than its device. */
	link = simple_link("l_cg_egress", (uint32_t)(p->cgroup >= 0 ? p->cgroup : 0), BPF_CGROUP_INET_EGRESS);
	if (link >= 0 && !bpf_link_detach(link))
		fact("link", "cg_detached", link, "type=cgroup");
}

static int raw_tp(const char *prog, const char *event, uint64_t cookie)
{
	struct {
		uint64_t name;
		uint32_t prog_fd, pad;
		uint64_t cookie;
	} attr = {
		.name = (uintptr_t)event,
		.prog_fd = (uint32_t)prog_fd(prog),
		.cookie = cookie,
	};
	int fd = (int)syscall(__NR_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* It is registered by a link only, so that nothing stays when the descriptors are closed. */
static struct bpf_map *ops_load(const struct place *p, unsigned flags)
{
	char path[512];
	struct bpf_object *o;
	struct bpf_map *map;
	struct bpf_program *prog;
	char *data, *name;
	size_t size;

	snprintf(path, sizeof(path), "%s/ops.bpf.o", p->objects);
	o = bpf_object__open_file(path, NULL);
	map = o ? bpf_object__find_map_by_name(o, "lens_cc") : NULL;
	/* The kernel has each name of a congestion control once. Before libbpf 1.4 all have the one in the file. */
	data = map ? bpf_map__initial_value(map, &size) : NULL;
	name = data ? memmem(data, size, "lens_cc", sizeof("lens_cc")) : NULL;
	if (name)
		snprintf(name, 16, "lens%d", getpid());
	if (!map || bpf_map__set_map_flags(map, flags) || bpf_object__load(o)) {
		fact("map", "lens_cc", -errno, "x");
		return NULL;
	}
	bpf_object__for_each_program(prog, o)
		fact("prog", bpf_program__name(prog), bpf_program__fd(prog), "type=struct_ops");
	fact("map", "lens_cc", bpf_map__fd(map), "type=struct_ops cc=%s", name ? name : "lens_cc");
	return map;
}

static void ops_link(const struct place *p)
{
	struct link_attr attr = { .attach_type = ATTACH_STRUCT_OPS };
	struct bpf_map *map = ops_load(p, 1u << 13 /* BPF_F_LINK */);

	if (!map) {
		ops_load(p, 0);
		return;
	}
	attr.prog_fd = (uint32_t)bpf_map__fd(map);
	if (libbpf_get_error(bpf_map__attach_struct_ops(map)))
		fact("link", "ops", -errno, "x");
	else
		fact("link", "ops", link_create(&attr), "type=struct_ops");
}

void make_links(const struct place *p)
{
	if (fact("link", "raw_tp", raw_tp("l_raw_tp", "sched_process_exec", 77), "type=raw_tracepoint cookie=77") < 0)
		fact("link", "raw_tp", raw_tp("l_raw_tp", "sched_process_exec", 0), "type=raw_tracepoint");
	fact("link", "tp_btf", raw_tp("a_very_long_program_name_indeed", NULL, 0), "type=tracing|raw_tracepoint");
	if (prog_fd("on_entry") >= 0)
		fact("link", "fentry", raw_tp("on_entry", NULL, 0), "type=tracing");
	if (prog_fd("on_exit") >= 0)
		fact("link", "fexit", raw_tp("on_exit", NULL, 0), "type=tracing");
	perf_links();
	iter_links(p);
	net_links(p);
	make_trace_links(p);
	ops_link(p);
}
