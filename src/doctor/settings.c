/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "doctor/check.h"
#include "source/facts.h"

/* Meanings of the values of settings (Documentation/admin-guide/sysctl) for BPF. */
static const struct meaning {
	const char *check, *setting; /* rows with the same check are adjacent */
	int value;
	enum check_state state;
	const char *fact, *consequence, *remedy;
} meanings[] = {
	{ "jit", "bpf_jit_enable", 1, CHECK_OK, "programs are compiled to machine code", NULL, NULL },
	{ "jit", "bpf_jit_enable", 2, CHECK_LIMITED,
	  "programs are compiled, and their images are printed to the kernel's log", "the log grows with each load",
	  "sysctl -w net.core.bpf_jit_enable=1" },
	{ "jit", "bpf_jit_enable", 0, CHECK_LIMITED, "programs are interpreted",
	  "they run several times slower, and have no machine code to dump, annotate or look up addresses in",
	  "sysctl -w net.core.bpf_jit_enable=1" },
	{ "jit_harden", "bpf_jit_harden", 0, CHECK_OK, "constants are not blinded", NULL, NULL },
	{ "jit_harden", "bpf_jit_harden", 1, CHECK_OK, "constants in programs of unprivileged users are blinded", NULL,
	  NULL },
	{ "jit_harden", "bpf_jit_harden", 2, CHECK_LIMITED, "constants in all programs are blinded",
	  "programs are larger and slower, have no symbols, and samples in them have no source line",
	  "sysctl -w net.core.bpf_jit_harden=1" },
	{ "jit_kallsyms", "bpf_jit_kallsyms", 1, CHECK_OK, "programs have symbols", NULL, NULL },
	{ "jit_kallsyms", "bpf_jit_kallsyms", 0, CHECK_LIMITED, "programs have no symbols",
	  "perf, traces and oopses show bare addresses; `bpflens addr` can still resolve them",
	  "sysctl -w net.core.bpf_jit_kallsyms=1" },
	{ "kptr_restrict", "kptr_restrict", 0, CHECK_OK, "kernel addresses are shown", NULL, NULL },
	{ "kptr_restrict", "kptr_restrict", 1, CHECK_OK, "kernel addresses are shown to processes with CAP_SYSLOG",
	  NULL, NULL },
	{ "kptr_restrict", "kptr_restrict", 2, CHECK_LIMITED, "kernel addresses are hidden from all processes",
	  "calls have no symbols, and machine code has no address", "sysctl -w kernel.kptr_restrict=1" },
	{ "unprivileged_bpf", "unprivileged_bpf_disabled", 2, CHECK_OK,
	  "bpf(2) is restricted to privileged users, until the setting is changed", NULL, NULL },
	{ "unprivileged_bpf", "unprivileged_bpf_disabled", 1, CHECK_OK,
	  "bpf(2) is restricted to privileged users, until the next boot", NULL, NULL },
	{ "unprivileged_bpf", "unprivileged_bpf_disabled", 0, CHECK_LIMITED, "every user may load programs",
	  "every user can exploit bugs of the verifier and of the processor",
	  "sysctl -w kernel.unprivileged_bpf_disabled=2" },
	{ "run_counts", "bpf_stats_enabled", 1, CHECK_OK, "runs of programs are counted", NULL, NULL },
	{ "run_counts", "bpf_stats_enabled", 0, CHECK_LIMITED, "runs of programs are not counted",
	  "run_cnt and run_time_ns are not known",
	  "bpflens prog stats (while it runs), or sysctl -w kernel.bpf_stats_enabled=1" },
};

static const struct meaning *meaning_of(const char *setting, int64_t value)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (!strcmp(meanings[i].setting, setting) && meanings[i].value == value)
			return &meanings[i];
	return NULL;
}

/*
 * Settings in net.core that are global are shown in the initial network namespace only; there, bpf_jit_enable has mode
 * 0644, and the others have mode 0600.
 */
static struct check_rec unread(const struct doctor *d, const struct meaning *m)
{
	struct check_rec rec = { m->check, CHECK_UNKNOWN, "the setting cannot be read", NULL, NULL };

	if (!str_starts(m->setting, "bpf_jit_"))
		return rec;
	if (facts_limit(d->env->machine, "bpf_jit_enable") >= 0) {
		rec.consequence = "only root may read it";
		rec.remedy = "sudo bpflens doctor";
	} else {
		rec.consequence = "the kernel shows it in the initial network namespace only";
		rec.remedy = "nsenter -t 1 -n bpflens doctor";
	}
	return rec;
}

void checks_settings(struct doctor *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		const char *setting = meanings[i].setting;
		const int64_t value = facts_limit(d->env->machine, setting);
		const struct meaning *m = meaning_of(setting, value);

		if (i && !strcmp(setting, meanings[i - 1].setting))
			continue;
		if (m)
			check_add(d, (struct check_rec){ m->check, m->state, m->fact, m->consequence, m->remedy });
		else if (value < 0)
			check_add(d, unread(d, &meanings[i]));
		else
			check_add(d, (struct check_rec){ meanings[i].check, CHECK_UNKNOWN,
							 arena_fmt(d->env->keep, "setting %s: unknown value %lld",
								   setting, (long long)value),
							 NULL, NULL });
	}
}
