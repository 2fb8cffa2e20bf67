/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "doctor/check.h"
#include "kernel/log.h"
#include "source/facts.h"

static void capabilities(struct doctor *d)
{
	const char *missing = check_access(d, "caps_missing"),
		   *who = machine_is_saved(d->env->machine) ? "the user who saved this" : "this process";
	struct check_rec rec = { "capabilities", CHECK_OK,
				 arena_fmt(d->env->keep, "%s had all capabilities that BPF needs", who), NULL, NULL };

	if (!machine_is_saved(d->env->machine))
		rec.fact = "this process has all capabilities that BPF needs";
	if (!missing)
		rec = (struct check_rec){ rec.check, CHECK_UNKNOWN, "they cannot be read", NULL, NULL };
	else if (strcmp(missing, "none") != 0)
		rec = (struct check_rec){
			rec.check, CHECK_LIMITED, arena_fmt(d->env->keep, "%s lacks %s", who, missing),
			"objects may not be listed, opened by id or loaded; a pin needs only the permissions of its file",
			"sudo bpflens ..."
		};
	check_add(d, rec);
}

/* Only of a process in a user namespace, where capabilities do not count. */
static void token(struct doctor *d)
{
	const char *path = check_access(d, "token");
	struct check_rec rec = { "token", CHECK_MISSING, "no bpffs here delegates rights to this user namespace",
				 "nothing can be created or loaded", "mount bpffs with delegate_* options" };

	if (!path)
		return;
	if (strcmp(path, "none") != 0)
		rec = (struct check_rec){ rec.check, CHECK_LIMITED,
					  arena_fmt(d->env->keep, "%s delegates rights", path),
					  "only what it delegates can be created and loaded", "bpflens token show" };
	if (strcmp(path, "none") != 0 && !log_library_has(4)) {
		rec.consequence = arena_fmt(d->env->keep, "libbpf %s, which bpflens is linked with, has no tokens",
					    log_library());
		rec.remedy = "build bpflens with libbpf 1.4 or newer";
	}
	check_add(d, rec);
}

static struct check_rec unreadable(const char *check, const char *text)
{
	struct check_rec rec = { check, CHECK_UNKNOWN, "it cannot be read", NULL, NULL };

	if (text) {
		rec.fact = "securityfs is not mounted";
		rec.remedy = "mount -t securityfs securityfs /sys/kernel/security";
	}
	return rec;
}

/* "none [integrity] confidentiality" (kernel_lockdown(7)); "none": the kernel does not have lockdown. */
bool check_locked_down(const struct doctor *d, const char *level)
{
	const char *text = check_access(d, "lockdown"), *word = text ? strchr(text, '[') : NULL;

	return word && str_starts(word + 1, level) && word[1 + strlen(level)] == ']';
}

static void lockdown(struct doctor *d)
{
	const char *text = check_access(d, "lockdown");
	struct check_rec rec = { "lockdown", CHECK_OK, "off", NULL, NULL };

	if (!text || !strcmp(text, "unmounted"))
		rec = unreadable(rec.check, text);
	else if (check_locked_down(d, "confidentiality"))
		rec = (struct check_rec){ rec.check, CHECK_LIMITED, "confidentiality",
					  "programs may not read kernel memory, and tracefs has no files",
					  "lockdown=integrity on the kernel's command line" };
	else if (check_locked_down(d, "integrity"))
		rec = (struct check_rec){ rec.check, CHECK_LIMITED, "integrity",
					  "programs may not write user memory (bpf_probe_write_user)",
					  "lockdown=none on the kernel's command line" };
	check_add(d, rec);
}

static bool has_word(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (str_starts(p, word) && (p[n] == ',' || !p[n]))
			return true;
	}
	return false;
}

static void lsm(struct doctor *d)
{
	const char *list = check_access(d, "lsm");
	struct check_rec rec = { "lsm", CHECK_OK, "programs of type lsm are supported", NULL, NULL };

	if (!list || !strcmp(list, "unmounted"))
		rec = unreadable(rec.check, list);
	else if (!strcmp(list, "none"))
		rec = (struct check_rec){ rec.check, CHECK_LIMITED, "the kernel has no security modules",
					  "programs of type lsm are never called", NULL };
	else if (!has_word(list, "bpf"))
		rec = (struct check_rec){ rec.check, CHECK_LIMITED,
					  arena_fmt(d->env->keep, "the security modules are %s", list),
					  "programs of type lsm are never called",
					  "add bpf to lsm= on the kernel's command line (CONFIG_BPF_LSM=y)" };
	check_add(d, rec);
}

/* Since Linux 5.11, the memory of objects is charged to cgroups. */
static void memlock(struct doctor *d)
{
	const char *limit = check_access(d, "memlock"), *release = facts_release(d->env->machine);
	struct check_rec rec = { "memlock", CHECK_OK, "memory of objects is charged to cgroups, not to RLIMIT_MEMLOCK",
				 NULL, NULL };
	unsigned major, minor;
	uint64_t bytes;

	if (!limit || !release || sscanf(release, "%u.%u", &major, &minor) != 2)
		rec = (struct check_rec){ rec.check, CHECK_UNKNOWN, "the limit or the kernel's release is not known",
					  NULL, NULL };
	else if ((major < 5 || (major == 5 && minor < 11)) && !num_parse_u64(limit, &bytes))
		rec = (struct check_rec){
			rec.check, CHECK_LIMITED, arena_fmt(d->env->keep, "RLIMIT_MEMLOCK is %s bytes", limit),
			"loading fails with EPERM if a user's objects exceed it; bpflens lifts it for itself, with CAP_SYS_RESOURCE",
			"ulimit -l unlimited"
		};
	else if (major < 5 || (major == 5 && minor < 11))
		rec.fact = "RLIMIT_MEMLOCK is unlimited";
	check_add(d, rec);
}

void checks_rights(struct doctor *d)
{
	capabilities(d);
	token(d);
	lockdown(d);
	lsm(d);
	memlock(d);
}
