/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/num.h"
#include "source/live.h"
#include "own/counts.h"
#include "host/holders.h"
#include "own/link_netns.h"
#include "host/pins.h"

#define KALLSYMS_MAX (512u << 20)
#define VMLINUX_MAX (256u << 20)

static int sys_pins(struct live *l)
{
	return pins_collect(&l->text);
}

static int sys_holders(struct live *l)
{
	struct err e = { 0 };
	const char *way;
	int why, err = holders_collect(&l->text, &way, &why, &e);

	if (!l->debug)
		return err;
	if (err)
		fprintf(stderr, "holders: %s\n", e.msg);
	else if (why)
		fprintf(stderr, "holders: %s (iterator: %s)\n", way, strerror(-why));
	else
		fprintf(stderr, "holders: %s\n", way);
	return err;
}

static int sys_map_counts(struct live *l)
{
	return counts_collect(&l->text);
}

static int sys_kallsyms(struct live *l)
{
	return str_read_file(&l->text, "/proc/kallsyms", KALLSYMS_MAX);
}

static int sys_vmlinux(struct live *l)
{
	return str_read_file(&l->text, "/sys/kernel/btf/vmlinux", VMLINUX_MAX);
}

static int sys_ifaces(struct live *l)
{
	struct if_nameindex *all = if_nameindex();

	if (!all)
		return -errno;
	for (const struct if_nameindex *i = all; i->if_index || i->if_name; i++)
		str_fmt(&l->text, "%u %s\n", i->if_index, i->if_name);
	if_freenameindex(all);
	return 0;
}

static int sys_netns_list(struct live *l)
{
	return live_net_list(&l->net, &l->text);
}

static int sys_link_netns(struct live *l)
{
	return link_netns_collect(&l->text);
}

static int sys_netns(struct live *l)
{
	struct stat st;

	if (stat("/proc/self/ns/net", &st) < 0)
		return -errno;
	str_fmt(&l->text, "%llu %llu\n", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	return 0;
}

/* Two clocks are never read at once: rounded, so that an answer can be compared with a later one. */
static int sys_clock(struct live *l)
{
	struct timespec real, boot;
	int64_t ns;

	if (clock_gettime(CLOCK_REALTIME, &real) < 0 || clock_gettime(CLOCK_BOOTTIME, &boot) < 0)
		return -errno;
	ns = (real.tv_sec - boot.tv_sec) * 1000000000ll + (real.tv_nsec - boot.tv_nsec);
	if (ns < 0)
		return -ERANGE;
	str_fmt(&l->text, "%lld\n", (long long)((ns + 500000) / 1000000 * 1000000));
	return 0;
}

static int sys_cpus(struct live *l)
{
	int n = libbpf_num_possible_cpus();

	if (n < 0)
		return n;
	str_fmt(&l->text, "%d\n", n);
	return 0;
}

static int sys_uname(struct live *l)
{
	struct utsname u;

	if (uname(&u) < 0)
		return -errno;
	str_fmt(&l->text, "%s %s %s\n", u.sysname, u.release, u.machine);
	return 0;
}

static int sys_limits(struct live *l)
{
	static const struct {
		const char *name, *path;
	} limits[] = {
		{ "kptr_restrict", "/proc/sys/kernel/kptr_restrict" },
		{ "bpf_jit_enable", "/proc/sys/net/core/bpf_jit_enable" },
		{ "bpf_jit_harden", "/proc/sys/net/core/bpf_jit_harden" },
		{ "unprivileged_bpf_disabled", "/proc/sys/kernel/unprivileged_bpf_disabled" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		STR value = { 0 };
		int err = str_read_file(&value, limits[i].path, 64);

		if (!err && value.n)
			value.p[strcspn(value.p, "\n")] = '\0';
		str_fmt(&l->text, "%s %s\n", limits[i].name, !err && value.n && *value.p ? value.p : "-");
	}
	return 0;
}

/* ksym/NAME */
static int sys_ksym(struct live *l, const char *name, struct arena *a, struct blob *ret)
{
	bool base = !strcmp(name, "__bpf_call_base");
	char text[KSYM_TEXT_MAX];
	uint64_t addr = 0;
	int err;

	if (!base && (strncmp(name, "0x", 2) || num_parse_u64(name, &addr)))
		return -ENODATA;
	if (l->ksym.prog < 0 && !l->ksym_error)
		l->ksym_error = ksym_open(&l->ksym);
	if (l->ksym_error)
		return l->ksym_error;
	if (base)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)l->ksym.call_base);
	err = base ? 0 : ksym_at(&l->ksym, addr, text);
	if (!err)
		*ret = (struct blob){ (const unsigned char *)arena_str(a, text, strlen(text)), strlen(text) };
	return err;
}

int live_sys(struct live *l, const char *name, struct arena *a, struct blob *ret)
{
	static const struct {
		const char *name;
		int (*read)(struct live *l);
	} all[] = {
		{ "pins", sys_pins }, { "holders", sys_holders }, { "kallsyms", sys_kallsyms }, { "ifaces", sys_ifaces },
		{ "netns", sys_netns }, { "clock", sys_clock }, { "cpus", sys_cpus }, { "cgroups", live_cgroups },
		{ "map_counts", sys_map_counts }, { "uname", sys_uname }, { "limits", sys_limits }, { "vmlinux", sys_vmlinux },
		{ "cgroup_mounts", live_cgroup_mounts },
		{ "netns_list", sys_netns_list }, { "link_netns", sys_link_netns },
		{ "task_fds", live_task_fds }, { "pmus", live_pmus }, { "tracepoints", live_tracepoints },
	};

	if (!strncmp(name, "ksym/", 5))
		return sys_ksym(l, name + 5, a, ret);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		int err;

		if (strcmp(all[i].name, name) != 0)
			continue;
		str_reset(&l->text);
		err = all[i].read(l);
		return err ? err : live_text(l, a, ret);
	}
	return -ENODATA;
}
