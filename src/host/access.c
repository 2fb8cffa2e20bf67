/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/access.h"

#include <sys/resource.h>

#include "host/caps.h"
#include "host/delegation.h"
#include "host/mountinfo.h"
#include "host/proc.h"

#define SECURITY "/sys/kernel/security/"
#define VMLINUX "/sys/kernel/btf/vmlinux"

static void value_add(struct str *ret, const char *name, const char *value)
{
	str_fmt(ret, "%s %.*s\n", name, (int)strcspn(value, "\n"), value);
}

/* The directory is made by the kernel; its files appear when securityfs is mounted. */
static void security_add(struct str *ret, const char *name, const char *path)
{
	const bool mounted = !access(SECURITY "lsm", F_OK);
	STR text = { 0 };
	const int err = str_read_file(&text, path, 4096);

	if (err == -ENOENT)
		value_add(ret, name, mounted || access(SECURITY, F_OK) ? "none" : "unmounted");
	else
		value_add(ret, name, err || !text.n ? "-" : text.p);
}

static void caps_add(struct str *ret)
{
	char names[128], *p = names;

	str_puts(ret, "caps_missing ");
	if (!caps_missing(names, sizeof(names)))
		str_puts(ret, "none");
	for (const char *name; (name = strsep(&p, ", "));)
		if (*name)
			str_fmt(ret, "%s%s", name == names ? "" : ",", name);
	str_puts(ret, "\n");
}

static void token_add(struct str *ret)
{
	STR path = { 0 };

	if (!caps_in_user_namespace())
		return;
	str_puts(ret, "token ");
	if (delegation_find(&path))
		str_escape(ret, path.p);
	else
		str_puts(ret, "none");
	str_puts(ret, "\n");
}

static void memlock_add(struct str *ret)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_MEMLOCK, &r) < 0)
		value_add(ret, "memlock", "-");
	else if (r.rlim_cur == RLIM_INFINITY)
		value_add(ret, "memlock", "unlimited");
	else
		str_fmt(ret, "memlock %llu\n", llu(r.rlim_cur));
}

static void tracefs_add(struct str *ret)
{
	STR text = { 0 };
	struct mountinfo m;
	char *p;

	if (str_read_file(&text, "/proc/self/mountinfo", MOUNTINFO_MAX)) {
		value_add(ret, "tracefs", "-");
		return;
	}
	p = text.p;
	for (char *line; (line = strsep(&p, "\n"));)
		if (mountinfo_parse(line, &m) && !strcmp(m.type, "tracefs")) {
			str_puts(ret, "tracefs ");
			str_escape(ret, m.path);
			str_puts(ret, "\n");
			return;
		}
	value_add(ret, "tracefs", "none");
}

static void pids_add(struct str *ret)
{
	const int initial = proc_is_initial();

	value_add(ret, "pids", initial < 0 ? "-" : initial ? "initial" : "other");
}

void access_collect(struct str *ret)
{
	security_add(ret, "lockdown", SECURITY "lockdown");
	security_add(ret, "lsm", SECURITY "lsm");
	caps_add(ret);
	token_add(ret);
	memlock_add(ret);
	value_add(ret, "vmlinux", !access(VMLINUX, R_OK) ? VMLINUX : errno == ENOENT ? "none" : "-");
	pids_add(ret);
	tracefs_add(ret);
}
