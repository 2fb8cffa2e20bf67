/* SPDX-License-Identifier: BSD-2-Clause */
#include "pieces.h"
#include "source/lives.h"
#include "source/codes.h"

static int read_all(const char *const *piece, size_t n, struct arena *a, struct pokes *ret)
{
	struct pieces p = PIECES(Q_POKES, piece, n);

	return pokes_read(&p.source, a, ret);
}

static const struct poke_place place = { .addr = 0x1000, .n = 8, .from = 100, .to = 900 };

static const char *then(const struct pokes *all, uint64_t time, const char *code)
{
	unsigned char bytes[9] = "........";
	const char *why = pokes_then(all, &place, time, bytes);

	assert_string_equal((char *)bytes, code);
	assert_ptr_equal(pokes_then(all, &place, time, NULL), why);
	return why;
}

/* Whatever was read as the code, it is what the changes say at each moment. */
static void test_moments(void **state)
{
	static const char *const pieces[] = {
		"announced\npoke 90 0x1001 5a5a 5959\n", /* of earlier code */
		"poke 300 0x1001 6263 6465\npoke 200 0x1001 6162 6263\n",
		"poke 300 0x1006 3132333435 4142434445\npoke 901 0x1001 6465 5858\npoke 250 0xfff 58585858 59595959\n",
	};
	ARENA a = arena_new();
	struct pokes all;
	const uint64_t *at;
	size_t n;

	(void)state;
	assert_int_equal(read_all(pieces, 3, a, &all), 0);
	assert_true(all.known && !all.silent && !all.lost);
	assert_null(then(&all, 100, ".ab...12"));
	assert_null(then(&all, 199, ".ab...12"));
	assert_null(then(&all, 200, ".bc...12"));
	assert_null(then(&all, 299, ".bc...12"));
	assert_null(then(&all, 300, ".de...AB"));
	assert_null(then(&all, 5000, ".de...AB"));
	at = pokes_moments(&all, &place, a, &n);
	assert_int_equal(n, 2);
	assert_true(at[0] == 200 && at[1] == 300);
}

/* Other code appeared at the address. */
static void test_appeared(void **state)
{
	static const char *const pieces[] = {
		"announced\npoke 110 0x1001 61 62\ncode 120 0x1000\npoke 130 0x1001 63 64\n"
	};
	ARENA a = arena_new();
	struct pokes all;

	(void)state;
	assert_int_equal(read_all(pieces, 1, a, &all), 0);
	assert_null(then(&all, 110, ".c......"));
	assert_null(then(&all, 130, ".d......"));
}

static void test_uncertain(void **state)
{
	static const char *const found[] = { "announced\nfound 300 200 0x1001 61 62\n" };
	static const char *const broken[] = { "announced\npoke 200 0x1001 61 62\npoke 300 0x1001 63 64\n" };
	static const char *const lost[] = { "announced\n", "lost 400\n", "lost 500\n" };
	static const char *const silent[] = { "silent\n" };
	ARENA a = arena_new();
	struct pokes all;
	const uint64_t *at;
	size_t n;

	(void)state;
	assert_int_equal(read_all(found, 1, a, &all), 0);
	assert_null(then(&all, 200, ".a......"));
	assert_non_null(then(&all, 201, ".a......"));
	assert_non_null(then(&all, 299, ".a......"));
	assert_null(then(&all, 300, ".b......"));
	at = pokes_moments(&all, &place, a, &n);
	assert_true(n == 2 && at[0] == 201 && at[1] == 300);
	assert_int_equal(read_all(broken, 1, a, &all), 0);
	assert_null(then(&all, 199, ".a......"));
	assert_non_null(then(&all, 200, ".b......"));
	assert_null(then(&all, 300, ".d......"));
	assert_int_equal(read_all(lost, 3, a, &all), 0);
	assert_null(then(&all, 399, "........"));
	assert_non_null(then(&all, 400, "........"));
	at = pokes_moments(&all, &place, a, &n);
	assert_true(n == 1 && at[0] == 400);
	assert_int_equal(read_all(silent, 1, a, &all), 0);
	assert_non_null(then(&all, 1, "........"));
	/* An older file: nothing is known, and nothing was promised. */
	assert_int_equal(read_all(NULL, 0, a, &all), 0);
	assert_false(all.known);
	assert_null(then(&all, 1, "........"));
}

static void test_round_trip(void **state)
{
	const struct poke all[] = {
		{ .time = 5,
		  .since = 5,
		  .addr = 0xffffffffc0001003,
		  .len = 2,
		  .old = (const unsigned char *)"\x00\xff",
		  .now = (const unsigned char *)"\x0f\xf0" },
		{ .time = 9,
		  .since = 7,
		  .addr = 0x1000,
		  .len = 1,
		  .old = (const unsigned char *)"a",
		  .now = (const unsigned char *)"b" },
		{ .time = 9, .since = 9, .addr = 0x2000 },
	};
	STR text = { 0 };

	(void)state;
	pokes_put_head(&text, true);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		pokes_put(&text, &all[i]);
	pokes_put_lost(&text, 77);
	assert_string_equal(
		text.p,
		"silent\npoke 5 0xffffffffc0001003 00ff 0ff0\nfound 9 7 0x1000 61 62\ncode 9 0x2000\nlost 77\n");
}

static void test_damaged(void **state)
{
	static const char *const bad[] = {
		"\n",
		"x\n",
		"poke\n",
		"lost\n",
		"lost x\n",
		"announced",
		"poke 1 0x1 61\n",
		"poke 1 0x1 6 6\n",
		"poke 1 0x1 61 6162\n",
		"poke 1 0x1 6g 61\n",
		"poke 1 x 61 61\n",
		"found 1 1 0x1 61 62\n",
		"found 1 2 0x1 61 62\n",
		"found 1 0x1 61 62\n",
		"code 1\n",
		"poke 1 0xffffffffffffffff 6161 6262\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ARENA a = arena_new();
		struct pokes all;

		assert_int_equal(read_all(&bad[i], 1, a, &all), -EBADMSG);
	}
}

static void test_functions(void **state)
{
	static const char *const pieces[] = { "announced\npoke 200 0x2000 61 62\n" };
	const uint64_t ksyms[] = { 0x1000, 0x2000, 0x3000 };
	const uint32_t lens[] = { 3, 2, 9 };
	const struct life life = { .loaded = 100 };
	const struct poke_funcs f = {
		.ksyms = { (const unsigned char *)ksyms, sizeof(ksyms) },
		.lens = { (const unsigned char *)lens, sizeof(lens) },
		.life = &life,
		.n = 6,
	};
	unsigned char code[] = "......";
	ARENA a = arena_new();
	struct poke_place p;
	struct pokes all;
	size_t off;

	(void)state;
	assert_int_equal(read_all(pieces, 1, a, &all), 0);
	assert_null(pokes_then_prog(&all, &f, 200, code));
	assert_string_equal((char *)code, "...b..");
	assert_true(poke_func(&f, 2, &p, &off) && off == 5 && p.n == 1 && p.from == 100);
	assert_false(poke_func(&f, 3, &p, &off));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),	   cmocka_unit_test(test_appeared), cmocka_unit_test(test_uncertain),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damaged),  cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
