/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "doctor/check.h"
#include "host/mountinfo.h"

static struct check_rec unread(const char *check, const char *what)
{
	return (struct check_rec){ check, CHECK_UNKNOWN, what, NULL, NULL };
}

/* Lines of Q_BPFFS: "INO PID ..."; PID 0: the mount namespace of the process that asked. */
static void bpffs(struct doctor *d)
{
	struct check_rec rec = {
		"bpffs",
		CHECK_MISSING,
		"no bpffs is mounted",
		"nothing can be pinned, and no pins are shown",
		"mount -t bpf bpf /sys/fs/bpf",
	};
	struct mountinfo mount, first = { 0 };
	size_t here = 0, elsewhere = 0;
	char *text, *line;

	if (ask_lines(d->env->machine, d->env->keep, &text, Q_BPFFS)) {
		check_add(d, unread(rec.check, "mounts cannot be read"));
		return;
	}
	while ((line = strsep(&text, "\n"))) {
		const char *ino = strsep(&line, " "), *pid = strsep(&line, " ");

		if (*ino == '?' || !line || !mountinfo_parse(line, &mount))
			continue;
		if (strcmp(pid, "0") != 0)
			elsewhere++;
		else if (!here++)
			first = mount;
	}
	if (here)
		rec = (struct check_rec){ rec.check, CHECK_OK,
					  here == 1 ? first.path :
						      arena_fmt(d->env->keep, "%s and %zu more", first.path, here - 1),
					  NULL, NULL };
	else if (elsewhere)
		rec.fact = "mounted only in other mount namespaces";
	check_add(d, rec);
}

static void cgroup2(struct doctor *d)
{
	struct check_rec rec = {
		"cgroup2",
		CHECK_MISSING,
		"no cgroup v2 tree is mounted",
		"programs cannot be attached to cgroups, nor listed by them",
		"mount -t cgroup2 none /sys/fs/cgroup",
	};
	struct blob b;

	if (ask(d->env->machine, d->env->keep, &b, Q_CGROUP_MOUNTS))
		rec = unread(rec.check, "mounts cannot be read");
	else if (b.n)
		rec = (struct check_rec){ rec.check, CHECK_OK, "mounted", NULL, NULL };
	check_add(d, rec);
}

/* A check of a value of Q_ACCESS that is a path, or "none". */
static void found(struct doctor *d, const char *name, const struct check_rec *missing)
{
	const char *value = check_access(d, name);

	if (!value)
		check_add(d, unread(missing->check, "that cannot be read"));
	else if (strcmp(value, "none") != 0)
		check_add(d, (struct check_rec){ missing->check, CHECK_OK, value, NULL, NULL });
	else
		check_add(d, *missing);
}

/* Where the kernel hides its files, a mount is of no use. */
static void tracefs(struct doctor *d)
{
	const char *path = check_access(d, "tracefs");

	if (path && check_locked_down(d, "confidentiality"))
		check_add(d, (struct check_rec){ "tracefs", CHECK_LIMITED, "it has no files, because of lockdown",
						 "programs cannot be attached to tracepoints, except raw ones",
						 "lockdown=integrity on the kernel's command line" });
	else
		found(d, "tracefs",
		      &(const struct check_rec){
			      "tracefs", CHECK_LIMITED, "no tracefs is mounted",
			      "other tools do not find tracepoints; bpflens mounts a private instance, with CAP_SYS_ADMIN",
			      "mount -t tracefs tracefs /sys/kernel/tracing" });
}

void checks_places(struct doctor *d)
{
	found(d, "vmlinux",
	      &(const struct check_rec){
		      "kernel_types", CHECK_MISSING, "the kernel has no type information (BTF)",
		      "objects for several kernels (CO-RE) do not load, and functions cannot be traced with fentry",
		      "use a kernel built with CONFIG_DEBUG_INFO_BTF=y, or `bpflens prog load ... kernel_btf FILE`" });
	bpffs(d);
	cgroup2(d);
	tracefs(d);
}
