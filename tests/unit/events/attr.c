/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <linux/bpf.h>
#include <stddef.h>

#include "events/attr.h"
#include "events/bpf_cmd.h"
#include "events/record.h"
#include "kernel/object.h"
#include "own/capture/calls.bpf.h"

static struct calls_record call(uint32_t cmd, const void *attr, uint32_t n)
{
	struct calls_record r = { .begin = 10, .end = 25, .cmd = cmd, .size = n, .got = n };

	memcpy(r.attr, attr, n);
	return r;
}

static const char *line(struct fake_machine *m, const struct calls_record *r)
{
	char *all = arena_str(m->env.arena, "", 0);
	struct attr_rows rows;

	attr_read(m->env.machine, r, m->env.arena, &rows);
	for (uint32_t i = 0; i < rows.n; i++)
		all = arena_fmt(m->env.arena, "%s%s%s=%s", all, i ? " " : "", rows.row[i].name, rows.row[i].text);
	return all;
}

/* Members do not overlap, are inside the union, and there is room for all descriptors. */
static void test_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < attr_ncommands; i++) {
		const struct attr_command *c = &attr_commands[i];
		unsigned fds = 0, texts = 0, n = 0, end = 0;

		for (; n < ATTR_MEMBERS && c->member[n].name; n++) {
			const struct attr_member *m = &c->member[n];

			if (m->at < end || m->at + attr_size(m) > CALLS_ATTR ||
			    (m->shape != ATTR_NAME && attr_size(m) != 4 && attr_size(m) != 8))
				fail_msg("%s: %s", c->word, m->name);
			end = m->at + attr_size(m);
			fds += m->shape == ATTR_FD;
			texts += m->shape == ATTR_TEXT;
		}
		assert_true(n && n < ATTR_MEMBERS && c->always <= n && fds <= CALLS_FDS && texts <= 1);
		assert_true(!c->event || c->kind < OBJECT_KINDS);
	}
	assert_true(attr_ncommands <= CALLS_COMMANDS);
}

static void test_members(void **state)
{
	struct fake_machine m;
	struct calls_record r;
	union bpf_attr attr;

	(void)state;
	fake_init(&m);
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_HASH;
	attr.key_size = 4;
	attr.map_flags = BPF_F_NO_PREALLOC;
	attr.inner_map_fd = 7;
	memcpy(attr.map_name, "a\"b", 3);
	r = call(BPF_MAP_CREATE, &attr, sizeof(attr));
	r.object[0] = (struct calls_object){ OBJECT_MAP + 1, 12 };
	assert_string_equal(
		line(&m, &r),
		"map_type=hash key_size=4 value_size=0 max_entries=0 map_flags=0x1 inner_map_fd=7<map 12> map_name=\"a\\\"b\"");
	assert_string_equal(attr_type(m.env.machine, &r), "hash");
	assert_string_equal(attr_name(&r, m.env.arena), "a\"b");
	fake_free(&m);
}

/* Members that the caller did not pass, or that were not copied, are left out. */
static void test_cut(void **state)
{
	struct fake_machine m;
	union bpf_attr attr;

	(void)state;
	fake_init(&m);
	memset(&attr, 0xff, sizeof(attr));
	for (uint32_t n = 0; n <= sizeof(attr); n++) {
		struct calls_record r = call(BPF_PROG_LOAD, &attr, n);
		struct attr_rows rows;

		attr_read(m.env.machine, &r, m.env.arena, &rows);
		assert_true(rows.n <= n);
		if (n < 4)
			assert_null(attr_type(m.env.machine, &r));
		if (n < 64)
			assert_null(attr_name(&r, m.env.arena));
	}
	fake_free(&m);
}

static void test_unknown(void **state)
{
	unsigned char bytes[CALLS_ATTR];
	struct fake_machine m;
	struct calls_record r;

	(void)state;
	fake_init(&m);
	memset(bytes, 0, sizeof(bytes));
	bytes[9] = 0xab;
	bytes[250] = 1;
	r = call(4711, bytes, sizeof(bytes));
	assert_string_equal(line(&m, &r), "+8=\"00ab000000000000\" +248=\"0000010000000000\"");
	assert_string_equal(attr_command(m.env.machine, 4711, m.env.arena), "unknown(4711)");
	/* Bytes after the members of a command. */
	r = call(BPF_LINK_DETACH, bytes, 12);
	assert_string_equal(line(&m, &r), "link_fd=0 +4=\"0000000000ab0000\"");
	memset(bytes, 0xff, sizeof(bytes));
	r = call(UINT32_MAX, bytes, sizeof(bytes));
	assert_true(strlen(line(&m, &r)) > CALLS_ATTR * 2);
	fake_free(&m);
}

static void test_lasting(void **state)
{
	const uint32_t attr[4] = { 5 };
	struct fake_machine m;
	struct calls_record r = call(BPF_LINK_DETACH, attr, sizeof(attr));
	struct event_rec e;

	(void)state;
	fake_init(&m);
	assert_true(event_of_call(&m.env, &r, true, &e));
	assert_int_equal(e.has_id, AVAIL_UNKNOWN);
	r.object[0] = (struct calls_object){ OBJECT_LINK + 1, 33 };
	assert_true(event_of_call(&m.env, &r, true, &e));
	assert_string_equal(e.event, "detach");
	assert_string_equal(e.kind, "link");
	assert_int_equal(e.id, 33);
	assert_int_equal(e.duration, 15);
	r.result = -EPERM;
	assert_false(event_of_call(&m.env, &r, true, &e));
	assert_true(event_of_call(&m.env, &r, false, &e));
	assert_string_equal(e.event, "link_detach");
	assert_string_equal(e.error, "EPERM");
	/* An object of an unknown kind. */
	r.made.kind = r.object[0].kind = 99;
	assert_true(event_of_call(&m.env, &r, false, &e));
	assert_int_equal(e.nobject, 0);
	assert_int_equal(e.has_id, AVAIL_NO);
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	cmocka_unit_test(test_members), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_lasting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
