/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "kernel_enum.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/names.h"

static bool is_since(const char *s)
{
	unsigned major, minor;
	char end;

	return sscanf(s, "%u.%u%c", &major, &minor, &end) == 2 && major >= 3 && major < 10;
}

static void check_row(const struct hook *h)
{
	size_t i = (size_t)(h - hooks);

	if (i < HOOK_TYPES ? h->type != (int)i || !h->name : h->type >= HOOK_TYPES || h->name)
		fail_msg("row %zu is not that of its attach type", i);
	if (!h->word || !*h->word || !h->since || !is_since(h->since))
		fail_msg("row %zu has no word or no kernel", i);
	for (size_t p = 0; p < HOOK_PROGS && h->progs[p]; p++)
		assert_non_null(names_of(&names_prog_type, h->progs[p]));
	if (!h->progs[0] && h->kind != HOOK_SLOT)
		fail_msg("%s takes no program", h->word);
	if (!h->name && h->kind == HOOK_NONE && !h->sections[0])
		fail_msg("%s is of no use", h->word);
	/* The live source uses bit sets of hooks. */
	if (h->kind == HOOK_CGROUP)
		assert_true(h->type < 64);
}

static void check_pair(const struct hook *a, const struct hook *b)
{
	if (!strcmp(a->word, b->word))
		fail_msg("%s stands there twice", a->word);
	if (a->kind == b->kind && a->alias && b->alias && !strcmp(a->alias, b->alias))
		fail_msg("%s: two hooks have this alias", a->alias);
	if (a->type >= 0 && a->type == b->type && a->arg == b->arg)
		fail_msg("%s and %s cannot be told apart", a->word, b->word);
	for (size_t i = 0; i < HOOK_SECTIONS && a->sections[i]; i++)
		for (size_t k = 0; k < HOOK_SECTIONS && b->sections[k]; k++)
			assert_string_not_equal(a->sections[i], b->sections[k]);
}

static void test_table(void **state)
{
	const struct hook *h = NULL;
	size_t i = 0;

	(void)state;
	for (size_t a = 0; a < nhooks; a++) {
		check_row(&hooks[a]);
		for (size_t b = 0; b < a; b++)
			check_pair(&hooks[b], &hooks[a]);
	}
	for (i = 0; hook_device_words[i]; i++)
		assert_non_null(hook_find(hook_device_words[i], HOOK_BIT(HOOK_XDP) | HOOK_BIT(HOOK_MPROG)));
	assert_int_equal(i, HOOK_DEVICE_WORDS);
	for (i = 0; (h = hook_next(h, HOOK_BIT(HOOK_XDP) | HOOK_BIT(HOOK_MPROG))); i++)
		;
	assert_int_equal(i, HOOK_DEVICE_WORDS);
}

/* Every hook of cgroups is found by its name. */
static void test_cgroups(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HOOK_TYPES; i++)
		if (!strncmp(hooks[i].name, "cgroup_", 7) || !strcmp(hooks[i].name, "lsm_cgroup"))
			assert_int_equal(hooks[i].kind, HOOK_CGROUP);
		else
			assert_int_not_equal(hooks[i].kind, HOOK_CGROUP);
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(hook_at(ABI_ATTACH_XDP, 0)->word, "xdp");
	assert_string_equal(hook_at(ABI_ATTACH_KPROBE_MULTI, ABI_PROBE_MULTI_RETURN)->word, "kretprobe_multi");
	assert_null(hook_at(HOOK_TYPES, 0));
	assert_null(hook_at(UINT32_MAX, 0));
	assert_string_equal(hook_of(HOOK_SLOT, ABI_MAP_CPUMAP)->word, "cpumap");
	assert_string_equal(hook_of(HOOK_EVENT, ABI_PERF_URETPROBE)->word, "uretprobe");
	assert_string_equal(hook_of(HOOK_EVENT, HOOK_RAW_TRACEPOINT)->word, "raw_tracepoint");
	assert_null(hook_of(HOOK_EVENT, 0));
	assert_null(hook_find("fentry", HOOK_BIT(HOOK_EVENT)));
	assert_int_equal(hook_find("fentry", ~0u)->type, 24);
	assert_null(hook_find("trace_fentry", ~0u));
	assert_true(hook_takes(hook_find("raw_tracepoint", ~0u), ABI_PROG_RAW_TRACEPOINT_WRITABLE));
	assert_false(hook_takes(hook_find("raw_tracepoint", ~0u), ABI_PROG_TRACEPOINT));
	assert_true(hook_takes(hook_find("prog_array", ~0u), ABI_PROG_XDP));
}

/* The table has all attach types of the headers of the build and of the running kernel. */
static void check_type(const char *name, unsigned value)
{
	size_t n;

	if (!strncmp(name, "__max", 5))
		return;
	if (value >= HOOK_TYPES)
		fail_msg("attach type %s (%u) of the running kernel is missing: add a row to kernel/hooks.c", name,
			 value);
	n = strlen(hooks[value].name);
	if (strncmp(name, hooks[value].name, n) || (name[n] && strcmp(name + n, "_deprecated")))
		fail_msg("attach type %u: %s in the kernel, %s here", value, name, hooks[value].name);
}

static void test_kernel(void **state)
{
	(void)state;
	assert_true(__MAX_BPF_ATTACH_TYPE <= HOOK_TYPES);
	if (kernel_enum("bpf_attach_type", "BPF_", check_type) < 0)
		skip_because("the kernel's BTF cannot be read");
}

static char supported[8192];

__attribute__((format(printf, 2, 0))) static int print_supported(enum libbpf_print_level level, const char *fmt,
								 va_list ap)
{
	char line[8192];

	(void)level;
	vsnprintf(line, sizeof(line), fmt, ap);
	if (strstr(line, "supported section") && strstr(line, " are:"))
		snprintf(supported, sizeof(supported), "%s", strstr(line, " are:") + strlen(" are:"));
	return 0;
}

static bool has_section(const char *name)
{
	for (size_t i = 0; i < nhooks * HOOK_SECTIONS; i++) {
		const char *section = hooks[i / HOOK_SECTIONS].sections[i % HOOK_SECTIONS];

		if (section && !strcmp(section, name))
			return true;
	}
	return false;
}

/* libbpf lists its section names if it is asked for an unknown one. */
static void test_sections(void **state)
{
	enum bpf_attach_type attach;
	enum bpf_prog_type type;
	unsigned n = 0;

	(void)state;
	libbpf_set_print(print_supported);
	assert_true(libbpf_prog_type_by_name("no such section", &type, &attach) < 0);
	for (char *save, *name = strtok_r(supported, " \n", &save); name; name = strtok_r(NULL, " \n", &save), n++)
		if (!has_section(name))
			fail_msg("libbpf has sections %s, the table does not", name);
	assert_true(n > 80);
}

static void test_netfilter(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint32_t pf, hook;
		int32_t priority;
	} all[] = {
		{ "ip/input/-128", true, 2, 1, -128 },
		{ "ip6/postrouting/0", true, 10, 4, 0 },
		{ "ip/forward/2147483647", true, 2, 2, INT32_MAX },
		{ "ip/forward/-2147483648", true, 2, 2, INT32_MIN },
		{ "ip/input/2147483648", false, 0, 0, 0 },
		{ "ip/input/-2147483649", false, 0, 0, 0 },
		{ "ip/input/4294967295", false, 0, 0, 0 },
		{ "ip/input/ 1", false, 0, 0, 0 },
		{ "ip/input/", false, 0, 0, 0 },
		{ "ip/input/1x", false, 0, 0, 0 },
		{ "ip/input/--1", false, 0, 0, 0 },
		{ "ip/input", false, 0, 0, 0 },
		{ "ip/inputs/1", false, 0, 0, 0 },
		{ "arp/input/1", false, 0, 0, 0 },
		{ "/input/1", false, 0, 0, 0 },
		{ "", false, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		uint32_t pf = 0, hook = 0;
		int32_t priority = 0;
		bool ok = nf_hook_parse(all[i].text, &pf, &hook, &priority);

		if (ok != all[i].ok || (ok && (pf != all[i].pf || hook != all[i].hook || priority != all[i].priority)))
			fail_msg("%s: %d, %u %u %d", all[i].text, ok, pf, hook, priority);
	}
	assert_string_equal(nf_hook(nf_family(3), 1), "output");
	assert_null(nf_hook(nf_family(3), 2));
	assert_null(nf_hook(nf_family(2), NF_HOOKS));
	assert_null(nf_family(4));
	assert_null(nf_hook(NULL, 0));
}

static void releases(void **state)
{
	const struct hook *tcx = hook_find("tcx_ingress", ~0u);

	(void)state;
	assert_string_equal(tcx->since, "6.6");
	assert_true(hook_is_newer(tcx, "5.10.0-8-amd64") && hook_is_newer(tcx, "6.5.13") && hook_is_newer(tcx, "6.5"));
	assert_false(hook_is_newer(tcx, "6.6.0") || hook_is_newer(tcx, "6.18.44") || hook_is_newer(tcx, "10.0"));
	assert_false(hook_is_newer(tcx, "") || hook_is_newer(tcx, "unknown"));
}

/* All names of a hook: words that `ls` prints, bpftool's, attach types, sections of libbpf with and without the first
 * part. */
static void test_named(void **state)
{
	static const char *const names[][2] = {
		{ "connect4", "cgroup_inet4_connect" },	   { "cgroup/connect4", "cgroup_inet4_connect" },
		{ "ingress", "cgroup_inet_ingress" },	   { "cgroup_skb/ingress", "cgroup_inet_ingress" },
		{ "connect_unix", "cgroup_unix_connect" }, { "sock_ops", "cgroup_sock_ops" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct hook *h = hook_named(names[i][0], HOOK_BIT(HOOK_CGROUP));

		assert_non_null(h);
		assert_string_equal(h->word, names[i][1]);
		assert_true(hook_is_named(names[i][1], names[i][0]));
	}
	assert_string_equal(hook_named("ingress", HOOK_BIT(HOOK_MPROG))->word, "tcx_ingress");
	assert_string_equal(hook_named("trace_fentry", HOOK_BIT(HOOK_FUNC))->word, "fentry");
	assert_string_equal(hook_named("raw_tp", HOOK_BIT(HOOK_EVENT))->word, "raw_tracepoint");
	for (size_t i = 0; i < nhooks; i++)
		if (hooks[i].kind != HOOK_NONE)
			assert_ptr_equal(hook_named(hooks[i].word, HOOK_BIT(hooks[i].kind)), &hooks[i]);
	assert_false(hook_exists("conect4"));
	assert_false(hook_exists(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_cgroups),  cmocka_unit_test(test_find),
		cmocka_unit_test(test_kernel),	  cmocka_unit_test(test_sections), cmocka_unit_test(releases),
		cmocka_unit_test(test_netfilter), cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
