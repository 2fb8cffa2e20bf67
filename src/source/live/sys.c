/* SPDX-License-Identifier: BSD-2-Clause */
#include <net/if.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include "base/message.h"
#include "kernel/clock.h"
#include "kernel/cpus.h"
#include "source/live/live.h"
#include "own/counts.h"
#include "host/access.h"
#include "host/bpffs.h"
#include "host/holders.h"
#include "own/link_netns.h"
#include "host/pins.h"
#include "host/proc.h"

#define KALLSYMS_MAX (512u << 20)
#define VMLINUX_MAX (256u << 20)

int live_pins(struct live *l)
{
	return pins_collect(&l->text, held_note, &l->held);
}

int live_access(struct live *l)
{
	access_collect(&l->text);
	return 0;
}

int live_bpffs(struct live *l)
{
	return bpffs_collect(&l->text);
}

static int holders_get(struct live *l, const struct holders_of *of)
{
	struct err e = { 0 };
	const char *way;
	int why, err = holders_collect(&l->own, of, &l->text, &way, &why, &e);
	const struct holder_raw unseen = { .kind = HOLDER_UNSEEN, .id = (uint32_t)-proc_outside() };

	if (!err && unseen.id)
		str_add(&l->text, &unseen, sizeof(unseen));
	if (!l->own.debug)
		return err;
	if (err)
		message("holders: %s", e.msg);
	else if (why)
		message("holders: %s (iterator: %s)", way, strerror(-why));
	else
		message("holders: %s", way);
	return err;
}

int live_holders(struct live *l)
{
	return holders_get(l, NULL);
}

int live_holders_of(struct live *l)
{
	const struct live_object *o = l->object;

	return holders_get(l, &(struct holders_of){ (enum object_kind)(l->asked->q - Q_HOLDERS_OF), o->id, o->fd });
}

int live_map_counts(struct live *l)
{
	return counts_collect(&l->own, &l->text);
}

int live_kallsyms(struct live *l)
{
	return str_read_file(&l->text, "/proc/kallsyms", KALLSYMS_MAX);
}

int live_vmlinux(struct live *l)
{
	return str_read_file(&l->text, "/sys/kernel/btf/vmlinux", VMLINUX_MAX);
}

int live_ifaces(struct live *l)
{
	struct if_nameindex *all = if_nameindex();

	if (!all)
		return -errno;
	for (const struct if_nameindex *i = all; i->if_index || i->if_name; i++)
		str_fmt(&l->text, "%u %s\n", i->if_index, i->if_name);
	if_freenameindex(all);
	return 0;
}

int live_netns_list(struct live *l)
{
	return live_net_list(&l->net, &l->text);
}

int live_link_netns(struct live *l)
{
	return link_netns_collect(&l->own, &l->text);
}

int live_netns(struct live *l)
{
	struct stat st;

	if (stat("/proc/self/ns/net", &st) < 0)
		return -errno;
	str_fmt(&l->text, "%llu %llu\n", llu(st.st_dev), llu(st.st_ino));
	return 0;
}

/* Two clocks cannot be read at the same moment: the difference is rounded, so that answers can be compared. */
int live_clock(struct live *l)
{
	const uint64_t real = clock_ns(CLOCK_REALTIME);
	const int64_t ns = (int64_t)(real - clock_ns(CLOCK_BOOTTIME));

	if (ns < 0)
		return -ERANGE;
	str_fmt(&l->text, "%lld\n", (long long)((ns + NSEC_PER_MSEC / 2) / NSEC_PER_MSEC * NSEC_PER_MSEC));
	return 0;
}

int live_cpus(struct live *l)
{
	CLEAN_PTR uint32_t *cpu = NULL;
	int n = cpus_possible(&cpu);

	if (n < 0)
		return n;
	str_fmt(&l->text, "%d\n", n);
	for (int i = 0; cpu[n - 1] >= (uint32_t)n && i < n; i++)
		str_fmt(&l->text, "%u%c", cpu[i], i + 1 < n ? ',' : '\n');
	return 0;
}

int live_uname(struct live *l)
{
	struct utsname u;

	if (uname(&u) < 0)
		return -errno;
	str_fmt(&l->text, "%s %s %s\n", u.sysname, u.release, u.machine);
	str_escape(&l->text, u.nodename);
	str_puts(&l->text, "\n");
	return 0;
}

int live_limits(struct live *l)
{
	static const struct {
		const char *name, *path;
	} limits[] = {
		{ "kptr_restrict", "/proc/sys/kernel/kptr_restrict" },
		{ "bpf_jit_enable", "/proc/sys/net/core/bpf_jit_enable" },
		{ "bpf_jit_harden", "/proc/sys/net/core/bpf_jit_harden" },
		{ "bpf_jit_kallsyms", "/proc/sys/net/core/bpf_jit_kallsyms" },
		{ "bpf_jit_limit", "/proc/sys/net/core/bpf_jit_limit" },
		{ "unprivileged_bpf_disabled", "/proc/sys/kernel/unprivileged_bpf_disabled" },
		{ "bpf_stats_enabled", "/proc/sys/kernel/bpf_stats_enabled" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		STR value = { 0 };
		int err = str_read_file(&value, limits[i].path, 64);

		if (!err && value.n)
			value.p[strcspn(value.p, "\n")] = '\0';
		str_fmt(&l->text, "%s %s\n", limits[i].name, !err && value.n && *value.p ? value.p : "-");
	}
	str_fmt(&l->text, "page_size %ld\n", sysconf(_SC_PAGESIZE));
	return 0;
}

/* After an error it is not tried again. */
static int ksym_ready(struct live *l)
{
	if (!l->ksym.loaded.open && !l->ksym_error)
		l->ksym_error = ksym_open(&l->ksym, &l->own);
	return l->ksym_error;
}

int live_ksym(struct live *l)
{
	char text[KSYM_TEXT_MAX];
	int err = ksym_ready(l);

	if (!err)
		err = ksym_at(&l->ksym, l->asked->index, text);
	if (!err)
		str_puts(&l->text, text);
	return err;
}

int live_call_base(struct live *l)
{
	int err = ksym_ready(l);

	if (err)
		return err;
	str_fmt(&l->text, "0x%llx", llu(l->ksym.call_base));
	return 0;
}
