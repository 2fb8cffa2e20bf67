/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/capability.h>
#include <sys/prctl.h>
#include "host/caps.h"
#include "host/delegation.h"

/* libcap's header may be older than these. */
#define CAPS_PERFMON 38
#define CAPS_BPF 39

/* The initial user namespace maps all ids onto themselves; a new one at first maps none. */
bool caps_in_user_namespace(void)
{
	CLEAN_FILE f = fopen("/proc/self/uid_map", "re");
	unsigned inside, outside, n;

	return f && (fscanf(f, "%u %u %u", &inside, &outside, &n) != 3 || inside || outside || n != UINT32_MAX);
}

/* Is it in effect for BPF? Capabilities in a user namespace do not count. */
static bool has(cap_value_t cap)
{
	cap_t set = caps_in_user_namespace() ? NULL : cap_get_proc();
	cap_flag_value_t v = CAP_CLEAR;
	bool ret;

	ret = set && !cap_get_flag(set, cap, CAP_EFFECTIVE, &v) && v == CAP_SET;
	if (set)
		cap_free(set);
	return ret;
}

bool caps_by_id(void)
{
	return has(CAP_SYS_ADMIN);
}

bool caps_bpf(void)
{
	return has(CAP_SYS_ADMIN) || (has(CAPS_BPF) && has(CAPS_PERFMON));
}

/* All capabilities that BPF requires, in bpftool's order. */
static const struct {
	cap_value_t cap;
	const char *name;
} caps[] = {
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	{ CAPS_BPF, "CAP_BPF" },
	{ CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	{ CAPS_PERFMON, "CAP_PERFMON" },
};

unsigned caps_missing(char *buf, size_t size)
{
	size_t at = 0;
	unsigned n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(caps) && at < size; i++) {
		/* The kernel does not know it, and requires CAP_SYS_ADMIN instead. */
		if (prctl(PR_CAPBSET_READ, caps[i].cap) < 0 || has(caps[i].cap))
			continue;
		at += str_snprintf(buf + at, size - at, "%s%s", n++ ? ", " : "", caps[i].name);
	}
	return n;
}

void caps_drop(void)
{
	cap_t set = cap_get_proc();

	for (size_t i = 0; set && i < ARRAY_SIZE(caps); i++)
		cap_set_flag(set, CAP_EFFECTIVE, 1, &caps[i].cap, CAP_CLEAR);
	if (set) {
		cap_set_proc(set);
		cap_free(set);
	}
}

/* Sets that only processes started later would have are emptied first, because that takes a capability, too. */
int caps_keep_reading(bool loads)
{
	static const cap_value_t needed[] = { CAP_SYS_ADMIN,	   CAP_NET_ADMIN, CAP_SYS_PTRACE,
					      CAP_DAC_READ_SEARCH, CAPS_BPF,	  CAPS_PERFMON };
	const size_t n = ARRAY_SIZE(needed) - (loads ? 0 : 2);
	cap_t had = cap_get_proc(), keep = cap_init();
	int err = had && keep ? 0 : -ENOMEM;

	for (cap_value_t c = 0; !err && prctl(PR_CAPBSET_READ, c) >= 0; c++) {
		cap_flag_value_t v = CAP_CLEAR;
		bool kept = false;

		for (size_t i = 0; i < n; i++)
			kept |= needed[i] == c;
		if (!kept)
			(void)prctl(PR_CAPBSET_DROP, c);
		if (kept && !cap_get_flag(had, c, CAP_PERMITTED, &v) && v == CAP_SET) {
			cap_set_flag(keep, CAP_PERMITTED, 1, &c, CAP_SET);
			cap_set_flag(keep, CAP_EFFECTIVE, 1, &c, CAP_SET);
		}
	}
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || cap_set_proc(keep)))
		err = -errno;
	if (had)
		cap_free(had);
	if (keep)
		cap_free(keep);
	return err;
}

/* Does a line of the file begin with the word (@start) or contain it? */
static bool file_says(const char *path, const char *word, bool start)
{
	CLEAN_FILE f = fopen(path, "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		const char *p = strstr(line, word);

		if (p && (!start || p == line))
			return true;
	}
	return false;
}

static bool locked_down(void)
{
	return file_says("/sys/kernel/security/lockdown", "[confidentiality]", false);
}

bool caps_locked_down(int err)
{
	return (err == -EINVAL || err == -EPERM) && caps_bpf() && locked_down();
}

const char *caps_load_failure(int err)
{
	return caps_locked_down(err) ? CAPS_LOCKED_DOWN : err_text(err);
}

bool caps_explain_missing(struct err *e)
{
	if (!e || err_exit_status(e) != EXIT_PERMISSION || e->hint[0])
		return false;
	if (caps_in_user_namespace())
		delegation_explain(e);
	else if (!caps_bpf() && has(CAPS_BPF))
		err_hint(
			e,
			"CAP_BPF alone is not enough: listing objects and opening them by id needs CAP_SYS_ADMIN (a pin, only "
			"the permissions of its file), loading and reading tracing programs needs CAP_PERFMON");
	else if (!caps_bpf())
		err_hint(
			e,
			"run it as root: listing objects and opening them by id needs CAP_SYS_ADMIN (a pin, only the "
			"permissions of its file), loading them needs CAP_BPF, and CAP_PERFMON or CAP_NET_ADMIN for most types");
	else if (!has(CAP_SYS_ADMIN))
		err_hint(
			e,
			"CAP_BPF and CAP_PERFMON are not enough here: listing objects and opening them by id needs CAP_SYS_ADMIN "
			"(a pin, only the permissions of its file)");
	else if (file_says("/proc/self/status", "Seccomp:\t2", true))
		err_hint(e, "a seccomp filter is in force (a container?): it must allow bpf(2) and perf_event_open(2)");
	else if (locked_down())
		err_hint(e, CAPS_LOCKED_DOWN ", and tracefs has no files");
	return e->hint[0];
}

bool proc_missing(void)
{
	return access("/proc/self", F_OK);
}

int proc_explain(struct err *e)
{
	if (proc_missing())
		err_hint(e, "/proc is not mounted here, and there is no other source");
	return e ? e->code : -ENOENT;
}

void caps_explain(struct err *e)
{
	if (e && err_exit_status(e) == EXIT_PERMISSION && !caps_explain_missing(e))
		err_hint(e,
			 "no capability is missing: the object may be read-only, frozen or in use, "
			 "or a security module (SELinux, AppArmor, BPF LSM) refused it; see dmesg and the audit log");
}
