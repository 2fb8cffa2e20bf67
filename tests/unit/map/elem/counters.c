/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/base.h"
#include "../../types/build.h"
#include "map/elem/counters.h"

/* struct { u8 mac[6]; u32 total; u32 more; }, without the last member if @alone, and with a list of counters in its
 * place if @list. */
static struct btf_types *types_make(bool alone, bool list, uint32_t *ret)
{
	static struct btf_build b;
	struct btf_types *t;
	uint32_t u8, u32, mac, more;

	build_init(&b);
	u8 = build_int(&b, "u8", 1, 0, 0, 8);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	mac = build_array(&b, u8, u32, 6);
	more = list ? build_array(&b, u32, u32, 3) : u32;
	*ret = build_type(&b, "v", BTF_KIND_STRUCT, alone ? 2 : 3, 0, alone ? 12 : list ? 24 : 16);
	build_member(&b, "mac", mac, 0);
	build_member(&b, "total", u32, 64);
	if (!alone)
		build_member(&b, "more", more, 96);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	return t;
}

static int find(bool alone, bool list, const char *member, struct elem_counters *ret, struct arena *a, struct err *e)
{
	const struct abi_map_info info = { .type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 24 };
	struct elem_form f;
	struct btf_types *t;
	uint32_t top;
	int err;

	t = types_make(alone, list, &top);
	elem_form_init(&f, &info, 1);
	f.value = value_plan(t, top, VALUE_FORMATTED, a);
	err = counters_find(ret, member, &info, &f, a, e);
	btf_release(&t);
	return err;
}

/* A list of bytes is an address or a name, unless it is given by name. */
static void test_bytes(void **unused)
{
	struct arena *a = arena_new();
	struct err e = { 0 };
	struct elem_counters c;

	(void)unused;
	assert_int_equal(find(true, false, NULL, &c, a, &e), 0);
	assert_string_equal(c.name, "value.total");
	assert_int_equal(find(false, true, NULL, &c, a, &e), 0);
	assert_string_equal(c.name, "value.more");
	assert_int_equal(c.n, 3);
	assert_int_equal(find(true, false, "mac", &c, a, &e), 0);
	assert_int_equal(c.n, 6);
	assert_int_equal(find(false, false, NULL, &c, a, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "name the member of the value"));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
