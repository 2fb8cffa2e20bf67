/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <string.h>

#include "source/machine.h"
#include "source/pages.h"

enum { PAGE = 4096 };
struct answer {
	struct pages_head head;
	uint32_t number[2];
	unsigned char bytes[2 * PAGE];
} __attribute__((packed));

static int put_question(const struct answer *answer, size_t n, uint32_t from, struct pages *ret)
{
	const char *const keys[] = { "map/1/pages/0", "map/1/pages/4" };
	const struct fake_answer answers[] = { { keys[from != 0], 0, answer, n }, { 0 } };
	ARENA a = arena_new();
	struct source *src;
	struct machine *m;
	int err;

	assert_int_equal(source_fake(&src, answers), 0);
	m = machine_new(src);
	err = pages_get(m, a, 1, from, ret);
	machine_free(&m);
	return err;
}

static void test_pages(void **state)
{
	static struct answer two = { { 1ull << 44, PAGE, 10, 2, 6 }, { 1, 5 }, { 'a' } };
	static struct answer none = { { 1ull << 44, PAGE, 10, 0, 6 }, { 0 }, { 0 } };
	struct pages p = { 0 };

	(void)state;
	two.bytes[PAGE] = 'b';
	assert_int_equal(put_question(&two, sizeof(two), 0, &p), 0);
	assert_int_equal(p.head.count, 2);
	assert_int_equal(pages_number(&p, 1), 5);
	assert_int_equal(*pages_bytes(&p, 0), 'a');
	assert_int_equal(*pages_bytes(&p, 1), 'b');
	assert_int_equal(put_question(&none, sizeof(none.head), 4, &p), 0);
	assert_int_equal(p.head.next, 6);
}

/* Wrong answers that an archive may have. */
static void test_damaged(void **state)
{
	static const struct {
		struct pages_head head;
		uint32_t number[2];
		size_t less;
	} bad[] = {
		{ { 0, PAGE, 10, 2, 6 }, { 1, 5 }, 1 },
		{ { 0, PAGE, 10, 2, 6 }, { 1, 5 }, PAGE },
		{ { 0, PAGE, 10, 2, 6 }, { 1, 5 }, sizeof(struct answer) - 4 },
		{ { 0, PAGE, 10, 3, 6 }, { 1, 5 }, 0 },
		{ { 0, 0, 10, 2, 6 }, { 1, 5 }, 0 },
		{ { 0, 4095, 10, 2, 6 }, { 1, 5 }, 0 },
		{ { 0, 1u << 31, 10, 2, 6 }, { 1, 5 }, 0 },
		{ { 0, PAGE, UINT32_MAX, 2, 6 }, { 1, 5 }, 0 },
		{ { 0, PAGE, 1, 2, 0 }, { 0, 1 }, 0 },
		{ { 0, PAGE, 10, 2, 6 }, { 5, 5 }, 0 },
		{ { 0, PAGE, 10, 2, 6 }, { 5, 1 }, 0 },
		{ { 0, PAGE, 10, 2, 6 }, { 1, 6 }, 0 },
		{ { 0, PAGE, 10, 2, 0 }, { 1, 10 }, 0 },
		{ { 0, PAGE, 10, 2, 0 }, { UINT32_MAX, 0 }, 0 },
		{ { 0, PAGE, 10, 2, 10 }, { 1, 5 }, 0 },
	};
	struct pages p = { .head.count = 77 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct answer answer = { .head = bad[i].head };

		memcpy(answer.number, bad[i].number, sizeof(answer.number));
		assert_int_equal(put_question(&answer, sizeof(answer) - bad[i].less, 0, &p), -EBADMSG);
	}
	/* Pages before the requested one, or in reverse order, which would never end. */
	assert_int_equal(
		put_question(&(struct answer){ { 0, PAGE, 10, 2, 6 }, { 3, 5 }, { 0 } }, sizeof(struct answer), 4, &p),
		-EBADMSG);
	assert_int_equal(
		put_question(&(struct answer){ { 0, PAGE, 10, 2, 4 }, { 4, 5 }, { 0 } }, sizeof(struct answer), 4, &p),
		-EBADMSG);
	assert_int_equal(p.head.count, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pages), cmocka_unit_test(test_damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
