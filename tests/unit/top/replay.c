/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "top/replay.h"

/* Moments at 1, 2, 3, 4, 20 and 21 seconds. */
static void moves(void **state)
{
	static struct replay_moment v[] = { { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 20, 0 }, { 21, 0 } };
	static const struct {
		size_t from;
		int64_t ms;
		size_t to;
	} moves[] = {
		{ 1, 1000, 2 },	  { 1, 2000, 3 },  { 1, 2500, 4 }, { 1, 500, 2 }, /* less than to the next one */
		{ 4, 1, 5 },	  { 1, 60000, 5 }, { 5, 1000, 5 }, { 3, -1000, 2 },  { 3, -2000, 1 },
		{ 5, -17000, 3 }, { 4, -500, 3 },  { 5, -1, 4 },   { 3, -60000, 1 }, { 1, -500, 1 },
	};
	struct replay r = { .v = v, .n = ARRAY_SIZE(v) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i].boot_ns *= NSEC_PER_SEC;
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		r.at = moves[i].from;
		replay_move(&r, moves[i].ms * NSEC_PER_MSEC);
		if (r.at != moves[i].to)
			fail_msg("%zu by %lld ms: %zu", moves[i].from, (long long)moves[i].ms, r.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(moves) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
