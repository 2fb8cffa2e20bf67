/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include "cli/place.h"
#include "cli/records.h"
#include "map/map.h"

/* The other slots are listed, and the command reports that the list is damaged. */
static void malformed_slots(void **state)
{
	static const char *const texts[] = { "2 9\n", "2 9\nx 8\n", "3\n2 9\n", "2 9\n3 x\n", "\n2 9\n" };
	static const struct abi_map_info info = { .type = ABI_MAP_PROG_ARRAY, .id = 7, .key_size = 4, .value_size = 4 };
	static const struct schema s = { .name = "x", .rec_size = sizeof(struct attachment) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct fake_answer answers[] = {
			{ "map/ids", 0, &info.id, sizeof(info.id) },
			{ "map/7/info", 0, &info, sizeof(info) },
			{ "map/7/slots", 0, texts[i], strlen(texts[i]) },
			{ 0 },
		};
		struct records recs = { .s = &s };
		struct lab l;

		lab_start(&l, (struct globals){ .from = "x" }, answers);
		assert_int_equal(place_map.list(&l.env, &recs, &l.e), 0);
		assert_int_equal(recs.n, 1);
		assert_string_equal(((const struct attachment *)recs.rec)->where, "map:7[2]");
		assert_int_equal(((const struct attachment *)recs.rec)->prog_id, 9);
		assert_int_equal(machine_refusals(l.env.machine), i ? 1 : 0);
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(malformed_slots) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
