/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../keys.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/facts.h"
#include "source/machine.h"
#include "source/source.h"

#define TEXT(key, s) \
	{ \
		key, 0, s, sizeof(s) - 1 \
	}

static const struct holder_raw holders[] = {
	{ .kind = OBJECT_MAP, .id = 7, .pid = 20, .comm = "later" },
	{ .kind = OBJECT_MAP,
	  .id = 7,
	  .pid = 10,
	  .comm = { 's', 'i', 'x', 't', 'e', 'e', 'n', '-', 'b', 'y', 't', 'e', 's', '-', 'x', 'x' } },
	{ .kind = OBJECT_PROG, .id = 7, .pid = 30, .comm = "other" },
};

static const struct fake_answer fake[] = {
	TEXT("sys/pins",
	     "map 7 /sys/fs/bpf/z\nmap 7 /sys/fs/bpf/a\\040b\\012\\134\nprog 7 /sys/fs/bpf/p\n"
	     "map 7 /sys/fs/bpf/z\nmap x /nope\nbogus 1 /nope\nmap 8\nmap 9 relative\n\nprog 4294967295 /sys/fs/bpf/last\n"),
	TEXT("pin//asked", "link 5\n"),
	{ "pin//refused", -EPERM, NULL, 0 },
	TEXT("pin//odd", "cat 5\n"),
	{ "sys/holders", 0, holders, sizeof(holders) },
	TEXT("sys/ifaces", "1 lo\n2 eth 0\n2 second\nx y\n3\n4 \n"),
	TEXT("sys/cgroups", "1 /\n4242424242424242 /user.slice/a b\n"),
	TEXT("sys/clock", "1700000000123000000\n"),
	TEXT("sys/cpus", "12\n"),
	TEXT("sys/map_counts", "7 0\n8 18446744073709551615\n9\n10 x\n4294967296 5\n\n11 3\n"),
	TEXT("sys/netns", "4 4026531840\n"),
	TEXT("sys/limits",
	     "kptr_restrict 1\nbpf_jit_harden -\nbpf_jit_enable 4294967295\nunprivileged_bpf_disabled 2\n"
	     "bpf_stats_enabled 1\nbpf_jit_limit 66571991416832\nbpf_jit_kallsyms 9223372036854775808\n"),
	TEXT("sys/kallsyms", "ffffffff81000000 T _text\n"),
	{ 0 },
};

static struct source *source(const struct fake_answer *answers)
{
	struct source *s = NULL;

	assert_int_equal(source_fake(&s, answers), 0);
	return s;
}

static void everything(void **state)
{
	struct source *s = source(fake);
	struct machine *f = machine_new(s);
	const char *const *paths;
	const struct holder *h;
	uint64_t dev, ino;
	uint32_t n;

	(void)state;
	paths = facts_pins(f, OBJECT_MAP, 7, &n);
	assert_int_equal(n, 2);
	assert_string_equal(paths[0], "/sys/fs/bpf/a b\n\\");
	assert_string_equal(paths[1], "/sys/fs/bpf/z");
	assert_non_null(facts_pins(f, OBJECT_PROG, UINT32_MAX, &n));
	assert_int_equal(n, 1);
	assert_null(facts_pins(f, OBJECT_LINK, 7, &n));
	assert_int_equal(n, 0);
	assert_true(facts_any_pins(f, OBJECT_PROG));
	assert_false(facts_any_pins(f, OBJECT_LINK));
	h = facts_holders(f, OBJECT_MAP, 7, &n);
	assert_int_equal(n, 2);
	assert_int_equal(h[0].pid, 10);
	assert_string_equal(h[0].comm, "sixteen-bytes-xx");
	assert_int_equal(facts_holders_error(f), 0);
	assert_string_equal(facts_ifname(f, 1), "lo");
	assert_string_equal(facts_ifname(f, 2), "eth 0");
	assert_null(facts_ifname(f, 3));
	assert_null(facts_ifname(f, 4));
	assert_string_equal(facts_cgroup(f, 4242424242424242), "/user.slice/a b");
	assert_null(facts_cgroup(f, 0));
	assert_int_equal(facts_boot_ns(f), 1700000000123000000);
	assert_int_equal(facts_cpus(f), 12);
	assert_int_equal(facts_cpus_end(f), 12);
	assert_null(facts_cpu_numbers(f));
	assert_true(facts_netns(f, &dev, &ino));
	assert_true(dev == 4 && ino == 4026531840);
	assert_int_equal(facts_limit(f, "kptr_restrict"), 1);
	assert_int_equal(facts_limit(f, "unprivileged_bpf_disabled"), 2);
	assert_int_equal(facts_limit(f, "bpf_jit_harden"), -1);
	assert_int_equal(facts_limit(f, "bpf_jit_enable"), UINT32_MAX);
	assert_true(facts_limit(f, "bpf_jit_limit") == 66571991416832); /* of arm64 */
	assert_int_equal(facts_limit(f, "bpf_jit_kallsyms"), -1);
	assert_int_equal(facts_limit(f, "no such"), -1);
	assert_int_equal(facts_counts_runs(f), 1);
	assert_string_equal(facts_symbol(f, 0xffffffff81000001)->name, "_text");
	assert_true(facts_map_count(f, 7, &dev) && dev == 0);
	assert_true(facts_map_count(f, 8, &dev) && dev == UINT64_MAX);
	assert_true(facts_map_count(f, 11, &dev) && dev == 3);
	assert_false(facts_map_count(f, 9, &dev) || facts_map_count(f, 10, &dev) || facts_map_count(f, 0, &dev));
	assert_int_equal(dev, 3);
	machine_free(&f);
}

static void pinned(void **state)
{
	struct source *s = source(fake);
	struct machine *f = machine_new(s);
	enum object_kind kind = OBJECT_BTF;
	uint32_t id = 99;

	(void)state;
	assert_int_equal(facts_find_pin(f, "/refused", &kind, &id), -EPERM);
	assert_int_equal(facts_find_pin(f, "/odd", &kind, &id), -EBADMSG);
	assert_int_equal(facts_find_pin(f, "/nowhere", &kind, &id), -ENODATA);
	assert_int_equal(facts_find_pin(f, "relative", &kind, &id), -ENODATA);
	assert_true(kind == OBJECT_BTF && id == 99);
	assert_int_equal(facts_find_pin(f, "/asked", &kind, &id), 0);
	assert_true(kind == OBJECT_LINK && id == 5);
	assert_int_equal(facts_find_pin(f, "/sys/fs/bpf/a b\n\\", &kind, &id), 0);
	assert_true(kind == OBJECT_MAP && id == 7);
	machine_free(&f);
}

static void unseen_holder(void **state)
{
	static const struct holder_raw raw[] = { { .kind = OBJECT_MAP, .id = 7, .pid = 3, .comm = "x" },
						 { .kind = HOLDER_UNSEEN, .id = EACCES, .pid = 9 } };
	static const struct fake_answer answers[] = { { "sys/holders", 0, raw, sizeof(raw) }, { 0 } };
	struct machine *m = machine_new(source(answers));
	uint32_t n;

	(void)state;
	assert_non_null(facts_holders(m, OBJECT_MAP, 7, &n));
	assert_int_equal(facts_holders_error(m), 0);
	assert_non_null(m->refused);
	assert_int_equal(m->refused->first.q, Q_HOLDERS);
	assert_int_equal(m->refused->why, -EACCES);
	machine_free(&m);
}

static void nothing(void **state)
{
	static const struct fake_answer refused[] = { { "sys/holders", -EPERM, NULL, 0 }, { 0 } };
	struct source *s = source(refused);
	struct machine *f = machine_new(s);
	uint64_t dev = 1, ino = 2;
	uint32_t n = 9;

	(void)state;
	facts_pins(f, OBJECT_MAP, 7, &n);
	assert_int_equal(n, 0);
	n = 9;
	facts_holders(f, OBJECT_MAP, 7, &n);
	assert_int_equal(n, 0);
	assert_int_equal(facts_holders_error(f), -EPERM);
	assert_null(facts_ifname(f, 1));
	assert_null(facts_cgroup(f, 1));
	assert_int_equal(facts_boot_ns(f), 0);
	assert_int_equal(facts_cpus(f), 0);
	assert_int_equal(facts_cpus_end(f), 0);
	assert_null(facts_cpu_numbers(f));
	assert_false(facts_netns(f, &dev, &ino));
	assert_true(dev == 1 && ino == 2);
	assert_int_equal(facts_limit(f, "kptr_restrict"), -1);
	assert_int_equal(facts_counts_runs(f), -ENODATA);
	assert_null(facts_symbol(f, UINT64_MAX));
	assert_int_equal(facts_call_base(f), 0);
	assert_false(facts_map_count(f, 7, &dev));
	machine_free(&f);
}

/* Each question once, for any answer. */
static unsigned asked;

static void leave(struct source *s)
{
}

static int count_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	asked++;
	return -ENODATA;
}

static void asked_once(void **state)
{
	static const struct source_ops ops = { .name = "count", .get = count_get, .close = leave };
	struct source s = { .ops = &ops };
	struct machine *f = machine_new(&s);
	uint64_t dev, ino;
	uint32_t n;

	(void)state;
	asked = 0;
	for (unsigned i = 0; i < 3; i++) {
		facts_pins(f, OBJECT_MAP, i, &n);
		facts_holders(f, OBJECT_MAP, i, &n);
		facts_ifname(f, i);
		facts_cgroup(f, i);
		facts_boot_ns(f);
		facts_cpus(f);
		facts_netns(f, &dev, &ino);
		facts_limit(f, "x");
		facts_map_count(f, i, &dev);
		facts_symbol(f, 4096);
		facts_call_base(f);
	}
	assert_int_equal(asked, 11); /* a symbol, before all of them */
	machine_free(&f);
}

/* The table of all holders is not asked for one object, unless the question about it is refused or there are
 * others. */
static void one_holder(void **state)
{
	static const struct fake_answer one[] = {
		{ "map/7/holders", 0, holders, 2 * sizeof(holders[0]) }, { "sys/holders", -EPERM, NULL, 0 }, { 0 },
	}, refused[] = {
		{ "map/7/holders", -EPERM, NULL, 0 }, { "sys/holders", 0, holders, sizeof(holders) }, { 0 },
	}, broken[] = {
		{ "map/7/holders", 0, holders, 7 }, { "sys/holders", 0, holders, sizeof(holders) }, { 0 },
	};
	static const struct holder_raw unseen = { .kind = HOLDER_UNSEEN, .id = EACCES, .pid = 5 };
	static const struct fake_answer partly[] = { { "map/7/holders", 0, &unseen, sizeof(unseen) }, { 0 } };
	const struct fake_answer *const all[] = { one, refused, broken };
	struct machine *some = machine_new(source(partly));
	uint32_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct machine *f = machine_new(source(all[i]));

		facts_holders_expect(f, OBJECT_MAP, 7);
		for (int j = 0; j < 2; j++) {
			assert_int_equal(facts_holders(f, OBJECT_MAP, 7, &n)[1].pid, 20);
			assert_int_equal(n, 2);
		}
		assert_int_equal(facts_holders_error(f), 0);
		assert_null(f->refused);
		facts_holders(f, OBJECT_PROG, 7, &n);
		assert_int_equal(n, i ? 1 : 0);
		assert_int_equal(facts_holders_error(f), i ? 0 : -EPERM);
		machine_free(&f);
	}
	facts_holders_expect(some, OBJECT_MAP, 7);
	assert_null(facts_holders(some, OBJECT_MAP, 7, &n));
	assert_true(some->refused && some->refused->why == -EACCES && some->refused->first.id == 7);
	machine_free(&some);
}

static const struct symbol *symbol_is(struct machine *f, uint64_t addr, uint64_t start, const char *name)
{
	const struct symbol *s = facts_symbol(f, addr);

	assert_non_null(s);
	assert_int_equal(s->addr, start);
	assert_string_equal(s->name, name);
	return s;
}

/* The table answers what single questions do not. */
static void single_symbols(void **state)
{
	static const struct fake_answer some[] = {
		TEXT("sys/ksym/__bpf_call_base", "0xffffffff81000000"),
		TEXT("sys/ksym/0xffffffff81001004", "one+0x4/0x10"),
		TEXT("sys/ksym/0xffffffffc0000000", "two+0x0/0x10 [mod]"),
		TEXT("sys/ksym/0x10", "before+0x11/0x20"),
		TEXT("sys/ksym/0x20", "+0x0/0x20"),
		TEXT("sys/ksym/0x30", "no offset"),
		TEXT("sys/ksym/0x40", "name+zero/0x20"),
		TEXT("sys/ksym/0x50", ""),
		{ "sys/ksym/0x60", -ENOENT, NULL, 0 },
		{ 0 },
	}, all[] = {
		TEXT("sys/ksym/0x20", "+0x0/0x20"),
		TEXT("sys/ksym/0xffffffff81001004", "never+0x4/0x10"),
		TEXT("sys/ksym/0xffffffff81001008", "single+0x0/0x10"),
		{ "sys/ksym/__bpf_call_base", -EPERM, NULL, 0 },
		TEXT("sys/kallsyms", "ffffffff81000000 T __bpf_call_base\nffffffff81001000 T table\n"),
		{ 0 },
	};
	struct source *s = source(some), *both = source(all);
	struct machine *f = machine_new(s);

	(void)state;
	assert_int_equal(facts_call_base(f), 0xffffffff81000000);
	for (int i = 0; i < 2; i++)
		assert_null(symbol_is(f, 0xffffffff81001004, 0xffffffff81001000, "one")->module);
	assert_string_equal(symbol_is(f, 0xffffffffc0000000, 0xffffffffc0000000, "two")->module, "mod");
	assert_null(facts_symbol(f, 0));
	machine_free(&f);
	for (uint64_t addr = 0x10; addr <= 0x60; addr += 0x10) {
		f = machine_new(source(some));
		assert_null(facts_symbol(f, addr));
		machine_free(&f);
	}
	f = machine_new(both);
	symbol_is(f, 0xffffffff81001008, 0xffffffff81001008, "single");
	assert_null(facts_symbol(f, 0x20));
	symbol_is(f, 0xffffffff81001004, 0xffffffff81001000, "table");
	assert_int_equal(facts_call_base(f), 0xffffffff81000000);
	machine_free(&f);
}

/* For many addresses the table is cheaper. */
static int any_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	static const char name[] = "x+0x0/0x10";

	asked++;
	if (q->q == Q_KSYM)
		*ret = (struct blob){ (const unsigned char *)name, sizeof(name) - 1 };
	return q->q == Q_KSYM ? 0 : -ENODATA;
}

static void many_symbols(void **state)
{
	static const struct source_ops ops = { .name = "any", .get = any_get, .close = leave };
	struct source s = { .ops = &ops };
	struct machine *f = machine_new(&s);

	(void)state;
	asked = 0;
	for (uint64_t addr = 1; addr < 100000; addr++)
		facts_symbol(f, addr);
	assert_true(asked >= 100 && asked <= 10000);
	machine_free(&f);
}

/* The other lines of a list are used, and the command reports that it is damaged. */
static void malformed(void **state)
{
	static const char *const good[] = { "", "map 7 /a\n? 13 /b\n? processes 13\n", "1 lo\n", "1 lo\n" };
	static const struct {
		unsigned list;
		const char *text;
	} bad[] = {
		{ 1, "map 7 /a\nmap x /b\n" },
		{ 1, "bogus 1 /b\nmap 7 /a\n" },
		{ 1, "map 7 /a\nmap 8\n" },
		{ 1, "map 7 /a\nmap 8 b\n" },
		{ 1, "map 7 /a\n? x /b\n" },
		{ 1, "map 7 /a\n? 13 b\n" },
		{ 1, "map 7 /a\n\nmap 8 /b\n" },
		{ 1, "map 7 /a\n? processes 12\n" },
		{ 2, "1 lo\nx y\n" },
		{ 2, "1 lo\n3\n" },
		{ 3, "1 lo\n4 \n" },
		{ 3, "1 lo\n? 40 /deep\n" },
	};

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(bad); i++) {
		const char *text[ARRAY_SIZE(good)];
		struct machine *m;
		uint32_t n;

		memcpy(text, good, sizeof(good));
		if (i < ARRAY_SIZE(bad))
			text[bad[i].list] = bad[i].text;
		const struct fake_answer answers[] = {
			{ "sys/pins", 0, text[1], strlen(text[1]) },
			{ "sys/ifaces", 0, text[2], strlen(text[2]) },
			{ "sys/cgroups", 0, text[3], strlen(text[3]) },
			{ 0 },
		};
		m = machine_new(source(answers));
		facts_find_pin(m, "/none", &(enum object_kind){ 0 }, &n);
		assert_true(facts_any_pins(m, OBJECT_MAP));
		assert_string_equal(facts_ifname(m, 1), "lo");
		assert_string_equal(facts_cgroup(m, 1), "lo");
		if (machine_refusals(m) != (i < ARRAY_SIZE(bad)))
			fail_msg("%zu refusals of list %zu", machine_refusals(m), i);
		machine_free(&m);
	}
}

static void many_pins(void **state)
{
	STR text = { 0 };
	struct fake_answer answers[] = { { "sys/pins", 0, NULL, 0 }, { 0 } };
	struct source *s;
	struct machine *f;
	uint32_t n;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		str_fmt(&text, "map %u /sys/fs/bpf/m%u\n", i / 2, i);
	answers[0].p = text.p;
	answers[0].n = text.n;
	s = source(answers);
	f = machine_new(s);
	for (unsigned i = 0; i < 50000; i++) {
		assert_non_null(facts_pins(f, OBJECT_MAP, i, &n));
		assert_int_equal(n, 2);
	}
	machine_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),	  cmocka_unit_test(pinned),	  cmocka_unit_test(unseen_holder),
		cmocka_unit_test(nothing),	  cmocka_unit_test(asked_once),	  cmocka_unit_test(one_holder),
		cmocka_unit_test(single_symbols), cmocka_unit_test(many_symbols), cmocka_unit_test(many_pins),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
