/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <string.h>

#include "source/machine.h"
#include "source/storage.h"

static void test_values(void **state)
{
	struct {
		struct storage_owner owner;
		unsigned char value[4];
	} __attribute__((packed)) two[2] = {
		{ { .pid = 7, .tid = 8, .comm = "a" }, "one" },
		{ { .cgroup_id = 1ull << 40 }, "two" },
	};
	const struct fake_answer answers[] = {
		{ "map/1/storage", 0, two, sizeof(two) },
		{ "map/2/storage", 0, two, sizeof(two) - 1 },
		{ "map/3/storage", 0, "", 0 },
		{ "map/4/storage", -EPERM, NULL, 0 },
		{ 0 },
	};
	ARENA a = arena_new();
	struct storage s = { 0 };
	struct source *src;
	struct machine *m;

	(void)state;
	assert_int_equal(source_fake(&src, answers), 0);
	m = machine_new(src);
	assert_int_equal(storage_get(m, a, 1, 4, &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(storage_owner(&s, 0).tid, 8);
	assert_string_equal((const char *)storage_value(&s, 0), "one");
	assert_true(storage_owner(&s, 1).cgroup_id == 1ull << 40);
	assert_string_equal((const char *)storage_value(&s, 1), "two");
	assert_int_equal(storage_get(m, a, 1, 5, &s), -EBADMSG);
	assert_int_equal(storage_get(m, a, 2, 4, &s), -EBADMSG);
	assert_int_equal(storage_get(m, a, 4, 4, &s), -EPERM);
	assert_int_equal(storage_get(m, a, 5, 4, &s), -ENODATA);
	assert_int_equal(s.n, 2);
	assert_int_equal(storage_get(m, a, 3, 4, &s), 0);
	assert_int_equal(s.n, 0);
	machine_free(&m);
}

static void test_sockets(void **state)
{
	struct {
		struct map_socket socket;
		uint32_t key;
	} __attribute__((packed)) two[2] = {
		{ { .netns = 5, .socket.local_port = 80 }, 1 },
		{ { .state = 1, .socket.cookie = 1ull << 40 }, 2 },
	};
	const struct fake_answer answers[] = { { "map/1/sockets", 0, two, sizeof(two) },
					       { "map/2/sockets", 0, two, sizeof(two) - 1 },
					       { 0 } };
	ARENA a = arena_new();
	struct storage s = { 0 };
	struct source *src;
	struct machine *m;
	uint32_t key;

	(void)state;
	assert_int_equal(source_fake(&src, answers), 0);
	m = machine_new(src);
	assert_int_equal(storage_sockets_get(m, a, 1, sizeof(key), &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(storage_socket(&s, 0).netns, 5);
	assert_int_equal(storage_socket(&s, 0).socket.local_port, 80);
	assert_true(storage_socket(&s, 1).socket.cookie == 1ull << 40);
	memcpy(&key, storage_socket_key(&s, 1), sizeof(key));
	assert_int_equal(key, 2);
	assert_int_equal(storage_sockets_get(m, a, 2, sizeof(key), &s), -EBADMSG);
	assert_int_equal(storage_sockets_get(m, a, 3, sizeof(key), &s), -ENODATA);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_values), cmocka_unit_test(test_sockets) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
