/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include "kernel/clock.h"
#include "source/lives.h"

static const uint8_t tag[8] = { 0xa5, 1 };

static const struct catalog_prog *find(const struct catalog *cat, uint32_t id)
{
	for (size_t i = 0; i < cat->n; i++)
		if (cat->all[i]->life.id == id)
			return cat->all[i];
	return NULL;
}

/* A copy by the loader, process 7, which uses map 20 + @id. */
static void copied(struct catalog *cat, uint32_t id, uint64_t time)
{
	const struct abi_map_info map = { .id = 20 + id };
	struct captured c = {
		.id = id, .time = time, .pid = 7, .uid = 33, .by_loader = true, .maps = &map, .nmaps = 1
	};

	c.info.type = 2;
	c.info.id = id;
	c.info.load_time = time - 1;
	c.info_len = sizeof(c.info);
	c.array[CAPTURED_MAP_IDS] = (struct captured_bytes){ &map.id, sizeof(map.id) };
	memcpy(c.comm, "loader", sizeof("loader"));
	catalog_add_copy(cat, &c);
}

/* What is loaded at the change is in the next file, as loaded before it, with its loader; what has gone is not. */
static void test_loaded(void **state)
{
	const uint64_t now = clock_ns(CLOCK_BOOTTIME);
	struct catalog next;
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	r.cat.only_pid = 7;
	catalog_note_load(&r.cat, 4, 1500, 7, tag);
	catalog_note_load(&r.cat, 5, 1500, 7, tag);
	copied(&r.cat, 4, 1501);
	copied(&r.cat, 5, 1501);
	catalog_prepare(&r.cat, &next, r.file);
	assert_int_equal(next.only_pid, 7);
	assert_true(next.from >= now);
	THERE(&r.progs, 3, 4, 5);
	assert_int_equal(catalog_begin(&next), 0);
	/* Meanwhile: into both. */
	for (uint32_t id = 6; id < 9; id++) {
		catalog_note_load(&r.cat, id, 2000, 7, tag);
		copied(&r.cat, id, 2001);
	}
	catalog_note_unload(&r.cat, 4, 2500);
	catalog_note_unload(&r.cat, 6, 3000);
	catalog_note_unload(&r.cat, 7, 3001);
	assert_int_equal(find(&r.cat, 7)->life.how, LIFE_COPIED);
	catalog_carry(&r.cat, 3000);
	assert_null(r.cat.next);
	assert_int_equal(next.from, 3000);
	assert_null(find(&next, 4));
	assert_null(find(&next, 6));
	for (uint32_t id = 3; id < 9; id++) {
		const struct catalog_prog *p = find(&next, id);

		if (!p)
			continue;
		assert_int_equal(p->life.how, LIFE_BEFORE);
		assert_true(p->written);
	}
	assert_int_equal(next.n, 4);
	assert_true(find(&next, 7)->life.gone);
	assert_int_equal(find(&next, 5)->life.loaded, 1500);
	assert_string_equal(find(&next, 5)->life.comm, "loader");
	assert_int_equal(find(&next, 8)->life.uid, 33);
	catalog_release(&next);
	recorded_end(&r);
}

/* What waits for its copy belongs to the next file, although that was asked about it; what is lost is lost once. */
static void test_waits(void **state)
{
	struct catalog next;
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	catalog_note_load(&r.cat, 5, 1500, 7, tag);
	catalog_note_load(&r.cat, 6, 1500, 7, tag);
	catalog_look(&r.cat, 1501);
	assert_false(catalog_waits(find(&r.cat, 5)));
	catalog_prepare(&r.cat, &next, r.file);
	THERE(&r.progs, 9);
	assert_int_equal(catalog_begin(&next), 0);
	/* Late, of a program that the file knows and the next does not. */
	catalog_note_load(&r.cat, 5, 1500, 7, tag);
	catalog_note_load(&r.cat, 8, 2000, 7, tag);
	catalog_note_load(&r.cat, 9, 2000, 7, tag);
	catalog_note_unload(&r.cat, 8, 2002);
	catalog_look(&r.cat, 1502);
	catalog_carry(&r.cat, 3000);
	assert_int_equal(next.n, 2);
	assert_true(catalog_waits(find(&next, 8)));
	assert_int_equal(find(&next, 8)->life.gone_at, 2002);
	assert_int_equal(find(&next, 9)->life.how, LIFE_ASKED);
	/* Announcements of programs in earlier files come late. */
	catalog_note_load(&next, 6, 1500, 7, tag);
	assert_null(find(&next, 6));
	/* A copy that is later than the deadline; its load is in the file before. */
	copied(&next, 5, 1600);
	assert_int_equal(find(&next, 5)->life.how, LIFE_COPIED);
	copied(&next, 8, 3001);
	assert_int_equal(find(&next, 8)->life.how, LIFE_COPIED);
	catalog_release(&next);
	recorded_end(&r);
}

static void has_maps(struct recorded *r, struct source *archive)
{
	static const uint32_t progs[] = { 6, 7 }, maps[] = { 26, 27, 28 };

	recorded_has(r, archive, "prog/ids", progs, sizeof(progs));
	recorded_has(r, archive, "map/ids", maps, sizeof(maps));
}

/* The lists of the next file: maps of its programs, and those that are there. */
static void test_maps(void **state)
{
	struct catalog next;
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	catalog_prepare(&r.cat, &next, r.file);
	for (uint32_t id = 5; id < 9; id++)
		copied(&r.cat, id, 2001);
	catalog_note_unload(&r.cat, 5, 2002);
	catalog_note_unload(&r.cat, 8, 2002);
	THERE(&r.progs, 6, 7);
	THERE(&r.maps, 28);
	catalog_carry(&r.cat, 3000);
	r.maps.n = 0;
	catalog_list(&next, 9000);
	recorded_finish(&r, has_maps);
	catalog_release(&next);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
