/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "token/read.h"

#define MOUNT "89 68 0:41 / /t\\040x rw,relatime - bpf bpf rw"

static bool parse(struct arena *a, const char *text, struct token_rec *ret)
{
	return token_parse(arena_str(a, text, strlen(text)), a, ret);
}

static void words(struct arena *a, const struct allowed *l, const char *want)
{
	STR s = { 0 };

	(void)a;
	str_puts(&s, "");
	for (uint32_t i = 0; i < l->n; i++)
		str_fmt(&s, "%s%s", i ? " " : "", l->word[i]);
	assert_string_equal(s.p, want);
}

static void delegated(void **state)
{
	ARENA a = arena_new();
	struct token_rec r;

	(void)state;
	assert_true(parse(
		a, "4026531841 0 " MOUNT ",delegate_cmds=map_create:prog_load,delegate_maps=any,delegate_attachs=0x5",
		&r));
	assert_string_equal(r.path, "/t x");
	assert_true(r.mnt_ns == 4026531841 && !r.pid);
	words(a, &r.allowed[ALLOWED_CMDS], "map_create prog_load");
	words(a, &r.allowed[ALLOWED_MAPS], "any");
	words(a, &r.allowed[ALLOWED_PROGS], "");
	words(a, &r.allowed[ALLOWED_ATTACHS], "cgroup_inet_ingress cgroup_inet_sock_create");
	/* Bits without a name, in a list that has names and in one that has none. */
	assert_true(parse(a, "7 12 " MOUNT ",delegate_progs=xdp:0x4000000000000042,delegate_cmds=prog_load:0x6", &r));
	assert_int_equal(r.pid, 12);
	words(a, &r.allowed[ALLOWED_PROGS], "xdp socket_filter xdp 0x4000000000000000");
	words(a, &r.allowed[ALLOWED_CMDS], "prog_load 0x6");
	assert_true(parse(a, "7 12 " MOUNT ",delegate_progs=::kprobe:0xzz:,delegate_maps", &r));
	words(a, &r.allowed[ALLOWED_PROGS], "kprobe 0xzz");
	for (unsigned i = 0; i < 40; i++)
		assert_true(parse(a, "7 12 " MOUNT ",delegate_attachs=0xffffffffff", &r));
	assert_int_equal(r.allowed[ALLOWED_ATTACHS].n, 40);
}

static void others(void **state)
{
	static const char *const lines[] = {
		"7 0 " MOUNT,
		"7 0 " MOUNT ",mode=700,uid=5",
		"7 0 1 2 0:3 / /x rw - tmpfs none rw,delegate_cmds=any",
		"7 0",
		"",
		"x 0 " MOUNT ",delegate_cmds=any",
		"7 4294967296 " MOUNT ",delegate_cmds=any",
		"7 0 /x delegate_cmds=any",
	};
	ARENA a = arena_new();
	struct token_rec r;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(parse(a, lines[i], &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(delegated), cmocka_unit_test(others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
