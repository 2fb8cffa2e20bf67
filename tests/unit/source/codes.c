/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"
#include "source/codes.h"

static struct codes parsed(const char *text, struct arena *a, int *err)
{
	struct codes c = { 0 };

	*err = codes_parse(&c, &(struct blob){ (const unsigned char *)text, strlen(text) }, a);
	return c;
}

static void test_round_trip(void **state)
{
	const struct code all[] = {
		{ .addr = 0xffffffffc0001000,
		  .len = 64,
		  .from = 5,
		  .gone = true,
		  .gone_at = 9,
		  .pid = 7,
		  .has_text = true,
		  .text = 0,
		  .comm = "a b",
		  .name = "bpf_trampoline_1" },
		{ .addr = 0x1000, .len = 1, .from = 6, .prog = 33, .name = "bpf_prog_0102030405060708_x" },
		{ .addr = 0x2000, .len = 2, .gone = true, .has_text = true, .text = 4294967295u, .name = "a b\n" },
	};
	ARENA a = arena_new();
	STR text = { 0 };
	struct codes got;
	int err;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		codes_put(&text, &all[i]);
	got = parsed(text.p, a, &err);
	assert_int_equal(err, 0);
	assert_int_equal(got.n, ARRAY_SIZE(all));
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		const struct code *c = &got.code[i], *want = &all[i];

		assert_true(c->addr == want->addr && c->len == want->len && c->from == want->from &&
			    c->gone == want->gone);
		assert_true(c->gone_at == want->gone_at && c->prog == want->prog && c->pid == want->pid);
		assert_true(c->has_text == want->has_text && c->text == want->text && !c->comm == !want->comm);
		assert_string_equal(c->name, want->name);
		if (c->comm)
			assert_string_equal(c->comm, want->comm);
	}
}

static void test_damaged(void **state)
{
	static const char *const bad[] = {
		"\n",
		"x\n",
		"0x1 1 1 - - ? - ? name",
		"0x1 1 1 - - ? - ?\n",
		"0x1 4294967296 1 - - ? - ? n\n",
		"? 1 1 - - ? - ? n\n",
		"0x1 1 - - - ? - ? n\n",
		"0x1 1 1 - ? ? - ? n\n",
		"0x1 1 1 - - 4294967296 - ? n\n",
		"0x1 1 1 - - ? ? ? n\n",
		"0xffffffffffffffff 2 1 - - ? - ? n\n",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		ARENA a = arena_new();
		int err;

		parsed(bad[i], a, &err);
		assert_int_equal(err, -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
