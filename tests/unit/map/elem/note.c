/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../test.h"
#include "../../../tools/fake_source.h"

#include <linux/bpf.h>
#include <string.h>

#include "cli/env.h"
#include "map/elem/note.h"
#include "map/elem/print.h"
#include "source/facts.h"
#include "source/source.h"
#include "kernel/abi.h"

static void assert_names(uint32_t type, uint32_t key_size, uint32_t value_size, const char *elem, const char *want)
{
	static const struct abi_prog_info prog = { .id = 7, .type = 1, .name = "one" };
	static const struct fake_answer answers[] = {
		{ "prog/7/info", 0, &prog, sizeof(prog) },
		{ "sys/ifaces", 0, "1 lo\n", 5 },
		{ 0 },
	};
	struct source *src = NULL;
	struct env env = { .arena = arena_new(), .keep = arena_new() };
	const struct elem_form f = { .type = type, .key_size = key_size, .value_size = value_size, .names = &env };
	struct out o;

	assert_int_equal(source_fake(&src, answers), 0);
	env.machine = machine_new(src);
	out_init(&o, -1);
	elem_notes(&f, &o, NULL, (const unsigned char *)elem, 0);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
	machine_free(&env.machine);
	arena_free(env.arena);
	arena_free(env.keep);
}

static void names(void **state)
{
	(void)state;
	assert_names(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, "\0\0\0\0\x07\0\0\0", "  prog_id 7  prog_name one");
	assert_names(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, "\0\0\0\0\x08\0\0\0", "  prog_id 8");
	assert_names(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, "\0\0\0\0\0\0\0\0", "");
	assert_names(BPF_MAP_TYPE_PROG_ARRAY, 4, 2, "\0\0\0\0\x07\0", "");
	assert_names(BPF_MAP_TYPE_DEVMAP, 4, 4, "\0\0\0\0\x01\0\0\0", "  ifname lo");
	assert_names(BPF_MAP_TYPE_DEVMAP, 4, 4, "\0\0\0\0\x02\0\0\0", "");
	assert_names(BPF_MAP_TYPE_DEVMAP_HASH, 4, 8, "\0\0\0\0\x01\0\0\0\x07\0\0\0",
		     "  ifname lo  prog_id 7  prog_name one");
	assert_names(BPF_MAP_TYPE_CPUMAP, 4, 8, "\0\0\0\0\x64\0\0\0\x07\0\0\0", "  prog_id 7  prog_name one");
	assert_names(BPF_MAP_TYPE_CPUMAP, 4, 4, "\0\0\0\0\x64\0\0\0", "");
	assert_names(BPF_MAP_TYPE_LPM_TRIE, 8, 4, "\x18\0\0\0\x0a\x01\x02\0vvvv", "  prefix 10.1.2.0/24");
	assert_names(BPF_MAP_TYPE_LPM_TRIE, 8, 4, "\x21\0\0\0\x0a\x01\x02\0vvvv", "");
	assert_names(BPF_MAP_TYPE_LPM_TRIE, 20, 1, "\x80\0\0\0\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01v",
		     "  prefix fe80::1/128");
	assert_names(BPF_MAP_TYPE_LPM_TRIE, 12, 1, "\x01\0\0\0kkkkkkkkv", "");
	assert_names(BPF_MAP_TYPE_HASH, 4, 4, "\0\0\0\0\x07\0\0\0", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
