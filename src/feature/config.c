/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "feature/report.h"
#include "record/field.h"
#include "source/facts.h"

/* words: meanings of the values from 0 on; a value without one is printed as a number. */
#define WORDS 4
/* clang-format off */
static const struct {
	const char *name, *before, *after, *what, *words[WORDS];
} settings[] = {
	{ "unprivileged_bpf_disabled", "bpf() syscall restriction has unknown value ", "", "bpf() syscall status",
	  { "bpf() syscall for unprivileged users is enabled",
	    "bpf() syscall restricted to privileged users (without recovery)",
	    "bpf() syscall restricted to privileged users (admin can change)" } },
	{ "bpf_jit_enable", "JIT-compiler status has unknown value ", "", "JIT-compiler status",
	  { "JIT compiler is disabled", "JIT compiler is enabled",
	    "JIT compiler is enabled with debugging traces in kernel logs" } },
	{ "bpf_jit_harden", "JIT hardening status has unknown value ", "", "JIT hardening status",
	  { "JIT compiler hardening is disabled", "JIT compiler hardening is enabled for unprivileged users",
	    "JIT compiler hardening is enabled for all users" } },
	{ "bpf_jit_kallsyms", "JIT kallsyms exports status has unknown value ", "", "JIT kallsyms export status",
	  { "JIT compiler kallsyms exports are disabled", "JIT compiler kallsyms exports are enabled for root" } },
	{ "bpf_jit_limit", "Global memory limit for JIT compiler for unprivileged users is ", " bytes", "global limit for JIT memory", { NULL } },
};
/* clang-format on */

/* bpftool's options in its order, then those that only bpflens shows. */
/* clang-format off */
static const char *const options[] = {
	"BPF", "BPF_SYSCALL", "HAVE_EBPF_JIT", "BPF_JIT", "BPF_JIT_ALWAYS_ON", "DEBUG_INFO_BTF", "DEBUG_INFO_BTF_MODULES", "CGROUPS",
	"CGROUP_BPF", "CGROUP_NET_CLASSID", "SOCK_CGROUP_DATA", "BPF_EVENTS", "KPROBE_EVENTS", "UPROBE_EVENTS", "TRACING",
	"FTRACE_SYSCALLS", "FUNCTION_ERROR_INJECTION", "BPF_KPROBE_OVERRIDE", "NET", "XDP_SOCKETS", "LWTUNNEL_BPF", "NET_ACT_BPF",
	"NET_CLS_BPF", "NET_CLS_ACT", "NET_SCH_INGRESS", "XFRM", "IP_ROUTE_CLASSID", "IPV6_SEG6_BPF", "BPF_LIRC_MODE2",
	"BPF_STREAM_PARSER", "NETFILTER_XT_MATCH_BPF", "BPFILTER", "BPFILTER_UMH", "TEST_BPF", "HZ",
	"BPF_LSM", "BPF_UNPRIV_DEFAULT_OFF", "NETFILTER_BPF_LINK", "NETKIT", "KPROBES", "FPROBE",
	"DYNAMIC_FTRACE_WITH_DIRECT_CALLS", "KALLSYMS_ALL",
};
/* clang-format on */

static void setting_add(struct env *env, struct feature_report *ret, size_t i)
{
	const int64_t v = facts_limit(env->machine, settings[i].name);
	const char *sentence;

	if (v >= 0 && v < WORDS && settings[i].words[v])
		sentence = settings[i].words[v];
	else if (v < 0)
		sentence = arena_fmt(env->keep, "Unable to retrieve %s", settings[i].what);
	else
		sentence = arena_fmt(env->keep, "%s%lld%s", settings[i].before, (long long)v, settings[i].after);
	ret->config[ret->nconfig++] = (struct feature_setting){
		.key = settings[i].name,
		.value = arena_fmt(env->keep, "%lld", (long long)v),
		.sentence = sentence,
	};
}

/* The value of an option, as it is in the file; NULL: not set. */
static const char *option_find(const char *text, const char *key, size_t *n)
{
	const size_t len = strlen(key);

	for (const char *p = text; (p = strstr(p, key)); p += len) {
		if ((p != text && p[-1] != '\n') || p[len] != '=')
			continue;
		p += len + 1;
		*n = strcspn(p, "\n");
		return p;
	}
	return NULL;
}

/* As a JSON string. Values are words, numbers, and strings with quotes. */
static const char *option_json(struct env *env, const char *p, size_t n)
{
	STR s = { 0 };

	if (!p)
		return "null";
	str_puts(&s, "\"");
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"' || p[i] == '\\')
			str_puts(&s, "\\");
		if ((unsigned char)p[i] >= 0x20 && (unsigned char)p[i] < 0x7f)
			str_add(&s, p + i, 1);
	}
	str_puts(&s, "\"");
	return arena_str(env->keep, s.p, s.n);
}

/* A kernel without a readable configuration is normal, and a note says so; any other error is a refusal. */
static void options_add(struct env *env, struct feature_report *ret)
{
	struct blob b;
	const char *text;
	int err = ask_silently(env->machine, env->keep, &b, Q_KCONFIG);

	if (!err && (!b.n || b.p[b.n - 1] != '\n'))
		err = -EBADMSG;
	if (err == -ENOENT || err == -ENODATA) {
		report_note(env->report, "the kernel's configuration is %s: its options are not shown",
			    err == -ENOENT ? "neither in /boot nor in /proc/config.gz" : "not in the archive");
		return;
	}
	if (err) {
		note_refused(env->machine, err, Q_KCONFIG);
		return;
	}
	text = blob_text(env->keep, &b);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const char *key = arena_fmt(env->keep, "CONFIG_%s", options[i]), *p;
		size_t n = 0;

		p = option_find(text, key, &n);
		ret->config[ret->nconfig++] = (struct feature_setting){ .key = key, .value = option_json(env, p, n) };
	}
}

void feature_config(struct env *env, struct feature_report *ret)
{
	ret->config = arena_array(env->keep, ARRAY_SIZE(settings) + ARRAY_SIZE(options), sizeof(*ret->config));
	ret->has_config = AVAIL_YES;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		setting_add(env, ret, i);
	options_add(env, ret);
}
