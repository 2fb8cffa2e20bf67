/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <linux/bpf.h>
#include <stddef.h>

#include "events/attr.h"
#include "events/bpf_cmd.h"
#include "events/record.h"
#include "kernel/object.h"
#include "map/elem/print.h"
#include "map/map.h"
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
	assert_true(event_of_call(&m.env, &r, true, NULL, &e));
	assert_int_equal(e.has_id, AVAIL_UNKNOWN);
	r.object[0] = (struct calls_object){ OBJECT_LINK + 1, 33 };
	assert_true(event_of_call(&m.env, &r, true, NULL, &e));
	assert_string_equal(e.event, "detach");
	assert_string_equal(e.kind, "link");
	assert_int_equal(e.id, 33);
	assert_int_equal(e.duration, 15);
	r.result = -EPERM;
	assert_false(event_of_call(&m.env, &r, true, NULL, &e));
	assert_true(event_of_call(&m.env, &r, false, NULL, &e));
	assert_string_equal(e.event, "link_detach");
	assert_string_equal(e.error, "EPERM");
	/* An object of an unknown kind. */
	r.made.kind = r.object[0].kind = 99;
	assert_true(event_of_call(&m.env, &r, false, NULL, &e));
	assert_int_equal(e.nobject, 0);
	assert_int_equal(e.has_id, AVAIL_NO);
	fake_free(&m);
}

struct elem_call {
	struct calls_record r;
	unsigned char bytes[64];
};

/* A call with the pointers that its command has; @key and @value bytes were copied. */
static struct elem_call elem_call(uint32_t cmd, int result, uint32_t key, uint32_t value)
{
	const uint64_t attr[4] = { 3, 0x1000, 0x2000, 0 };
	struct elem_call e = { .r = call(cmd, attr, sizeof(attr)) };

	e.r.result = result;
	e.r.key_bytes = key;
	e.r.value_bytes = value;
	for (unsigned i = 0; i < sizeof(e.bytes); i++)
		e.bytes[i] = (unsigned char)i;
	return e;
}

static const char *elem_text(struct fake_machine *m, const struct elem_call *e, const struct map_decode *d)
{
	static const char *const words[] = { [AVAIL_NO] = "-", [AVAIL_YES] = "", [AVAIL_UNKNOWN] = "?" };
	struct attr_elem got = { 0 };

	attr_elem_read(m->env.machine, &e->r, d, m->env.arena, &got);
	return arena_fmt(m->env.arena, "%s%s %s%s %s%s %s", words[got.has_key], got.key ? got.key : "",
			 words[got.has_value], got.value ? got.value : "", words[got.has_next_key],
			 got.next_key ? got.next_key : "",
			 got.has_count == AVAIL_YES ? arena_fmt(m->env.arena, "%u", got.count) : "-");
}

#define K "[\"0x00\",\"0x01\"]"
#define V "[\"0x02\",\"0x03\",\"0x04\"]"
static void test_elem(void **state)
{
	static const struct elem_form form = { .key_size = 2, .value_size = 3 };
	const struct map_decode d = { .form = &form, .id = 5, .key_size = 2, .value_size = 3, .value_bytes = 3 };
	static const struct {
		uint32_t cmd;
		int result;
		uint32_t key, value;
		const char *text;
	} cases[] = {
		{ BPF_MAP_UPDATE_ELEM, 0, 2, 3, K " " V " - -" },
		{ BPF_MAP_UPDATE_ELEM, -E2BIG, 2, 3, K " " V " - -" },
		{ BPF_MAP_UPDATE_ELEM, -EFAULT, 0, 0, "? ? - -" },
		{ BPF_MAP_UPDATE_ELEM, -EFAULT, 2, 0, K " ? - -" },
		{ BPF_MAP_UPDATE_ELEM, 0, 2, 2, K " ? - -" },
		{ BPF_MAP_LOOKUP_ELEM, 0, 2, 3, K " " V " - -" },
		{ BPF_MAP_LOOKUP_ELEM, -ENOENT, 2, 0, K " - - -" },
		{ BPF_MAP_LOOKUP_AND_DELETE_ELEM, 0, 2, 3, K " " V " - -" },
		{ BPF_MAP_DELETE_ELEM, -ENOENT, 2, 0, K " - - -" },
		{ BPF_MAP_GET_NEXT_KEY, 0, 2, 2, K " - [\"0x02\",\"0x03\"] -" },
		{ BPF_MAP_GET_NEXT_KEY, 0, 2, 0, K " - ? -" },
		{ BPF_MAP_GET_NEXT_KEY, -ENOENT, 2, 0, K " - - -" },
		{ BPF_MAP_FREEZE, 0, 0, 0, "- - - -" },
		{ 4711, 0, 0, 0, "- - - -" },
	};
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct elem_call e = elem_call(cases[i].cmd, cases[i].result, cases[i].key, cases[i].value);

		assert_string_equal(elem_text(&m, &e, &d), cases[i].text);
	}
	fake_free(&m);
}

/* Values of CPUs or of one, maps and programs, keyless maps, bloom filters, batches, attributes that were cut. */
static void test_elem_kinds(void **state)
{
	static const struct elem_form one = { .value_size = 1 }, percpu = { .key_size = 1, .value_size = 1, .cpus = 2 },
				      inner = { .key_size = 1, .value_size = 4, .big = BIG_HERE };
	const struct map_decode cpus = { .form = &percpu, .key_size = 1, .value_size = 1, .value_bytes = 16 },
				fds = { .form = &inner,
					.key_size = 1,
					.value_size = 4,
					.value_bytes = 4,
					.holds_fds = true },
				bloom = { .form = &one, .value_size = 1, .value_bytes = 1, .asks_values = true };
	const uint64_t batch[7] = { 0, 0, 1, 1, 9, 0, 0 };
	const uint32_t id = 77;
	struct elem_call e = elem_call(BPF_MAP_UPDATE_ELEM, 0, 1, 16);
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	assert_string_equal(elem_text(&m, &e, &cpus), "[\"0x00\"] [[\"0x01\"],[\"0x09\"]] - -");
	e.r.value_bytes = 1;
	assert_string_equal(elem_text(&m, &e, &cpus), "[\"0x00\"] [\"0x01\"] - -");
	e = elem_call(BPF_MAP_UPDATE_ELEM, 0, 1, 4);
	memcpy(e.bytes + 1, &id, sizeof(id));
	assert_string_equal(elem_text(&m, &e, &fds), "[\"0x00\"] {\"fd\":77} - -");
	e.r.object[CALLS_FDS - 1] = (struct calls_object){ OBJECT_PROG + 1, 5 };
	assert_string_equal(elem_text(&m, &e, &fds), "[\"0x00\"] {\"id\":5} - -");
	e.r.cmd = BPF_MAP_LOOKUP_ELEM;
	assert_string_equal(elem_text(&m, &e, &fds), "[\"0x00\"] {\"id\":77} - -");
	e = elem_call(BPF_MAP_LOOKUP_ELEM, -ENOENT, 0, 1);
	assert_string_equal(elem_text(&m, &e, &bloom), "- [\"0x00\"] - -");
	e.r.got = 16;
	assert_string_equal(elem_text(&m, &e, &bloom), "- - - -");
	e.r = call(BPF_MAP_UPDATE_BATCH, batch, sizeof(batch));
	assert_string_equal(elem_text(&m, &e, &cpus), "- - - 9");
	fake_free(&m);
}

/* What the BPF program is asked to read. */
static void test_watch(void **state)
{
	struct calls_command c[CALLS_COMMANDS];
	struct calls_map map;

	(void)state;
	attr_watch(c);
	assert_true(c[BPF_MAP_LOOKUP_ELEM].key == 9 && c[BPF_MAP_LOOKUP_ELEM].value == 17 &&
		    c[BPF_MAP_LOOKUP_ELEM].answers);
	assert_true(c[BPF_MAP_UPDATE_ELEM].value == 17 && !c[BPF_MAP_UPDATE_ELEM].answers);
	assert_true(c[BPF_MAP_GET_NEXT_KEY].next_key == 17 && !c[BPF_MAP_GET_NEXT_KEY].value);
	assert_true(c[BPF_MAP_DELETE_ELEM].key == 9 && !c[BPF_MAP_DELETE_ELEM].value &&
		    !c[BPF_MAP_DELETE_ELEM].next_key);
	assert_true(c[BPF_MAP_GET_FD_BY_ID].map_id == 1 && !c[BPF_PROG_GET_FD_BY_ID].map_id && !c[BPF_MAP_CREATE].key);
	attr_watch_map(
		&(const struct map_decode){
			.id = 7, .key_size = 1, .value_size = 2, .value_bytes = 1ull << 32, .holds_fds = true },
		&map);
	assert_true(map.id == 7 && map.key_size == 1 && map.value_size == 2 && map.value_bytes == UINT32_MAX &&
		    map.holds_fds && !map.asks_values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	   cmocka_unit_test(test_members), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_unknown),	   cmocka_unit_test(test_lasting), cmocka_unit_test(test_elem),
		cmocka_unit_test(test_elem_kinds), cmocka_unit_test(test_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
