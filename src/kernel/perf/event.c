/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/event.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "kernel/abi.h"
#include "kernel/bpf.h"

int perf_event_make(const struct perf_wish *wish)
{
	struct perf_event_attr attr = {
		.type = wish->type,
		.size = sizeof(attr),
		.config = wish->config,
		.config1 = wish->config1,
		.config2 = wish->config2,
		.exclude_user = wish->kernel,
	};
	long fd;

	if (wish->frequency) {
		attr.freq = 1;
		attr.sample_freq = wish->frequency;
	} else {
		attr.sample_period = wish->period;
	}
	fd = syscall(SYS_perf_event_open, &attr, wish->pid, wish->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int perf_event_link(int event, int prog, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);

	return bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
}

int uprobe_multi_link(int prog, const struct uprobe_places *p)
{
	/* The kernel's struct since 6.6; libbpf has it since 1.3. */
	const struct {
		uint32_t prog, target, attach_type, flags;
		uint64_t path, offsets, counters, cookies;
		uint32_t n, multi_flags, pid, pad;
	} ask = { .prog = (uint32_t)prog,
		  .attach_type = ABI_ATTACH_UPROBE_MULTI,
		  .path = (uintptr_t)p->path,
		  .offsets = (uintptr_t)p->offsets,
		  .counters = (uintptr_t)p->counters,
		  .cookies = (uintptr_t)p->cookies,
		  .n = p->n,
		  .pid = p->pid };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	_Static_assert(sizeof(ask) <= sizeof(attr), "it fits");
	memcpy(&attr, &ask, sizeof(ask));
	return sys_bpf(BPF_LINK_CREATE, &attr, sizeof(ask));
}

int raw_tracepoint_link(const char *name, int prog, uint64_t cookie)
{
	/* The kernel's struct since 6.10; before, it ends after the program. */
	struct {
		uint64_t name;
		uint32_t prog, pad;
		uint64_t cookie;
	} ask = { .name = (uintptr_t)name, .prog = (uint32_t)prog, .cookie = cookie };
	union bpf_attr attr;
	size_t size = cookie ? sizeof(ask) : offsetof(__typeof__(ask), cookie);

	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, &ask, size);
	return sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, size);
}
