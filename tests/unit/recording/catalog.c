/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include "recording/answers.h"
#include "source/machine.h"

static const uint8_t tag[8] = { 0xa5, 1 };

static const struct life *life_of(const struct recorded *r, uint32_t id)
{
	const struct catalog_prog *p = recorded_find(r, id);

	assert_non_null(p);
	return &p->life;
}

/* A copy by the loader, process 7. */
static struct captured copy_of(uint32_t id, uint64_t time)
{
	struct captured c = { .id = id, .time = time, .pid = 7, .uid = 33, .by_loader = true };

	c.info.type = 2;
	c.info.id = id;
	c.info.load_time = time - 1;
	c.info_len = sizeof(c.info);
	memcpy(c.comm, "loader", sizeof("loader"));
	return c;
}

/*
 * The list of programs at the beginning is made a moment after the beginning: a program in it was loaded before, unless
 * its announcement or its copy is of a later time.
 */
static void test_beginning(void **state)
{
	static const struct {
		uint64_t time; /* of the announcement */
		enum life_how how;
	} rows[] = { { 1, LIFE_BEFORE }, { 999, LIFE_BEFORE }, { 1000, LIFE_ASKED }, { 1001, LIFE_ASKED } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int copied = 0; copied < 2; copied++) {
			struct recorded r;

			recorded_begin(&r);
			THERE(&r.progs, 1);
			assert_int_equal(catalog_begin(&r.cat), 0);
			assert_int_equal(life_of(&r, 1)->how, LIFE_BEFORE);
			if (copied)
				catalog_add_copy(&r.cat, &(struct captured){ .id = 1, .time = rows[i].time });
			else
				catalog_note_load(&r.cat, 1, rows[i].time, 7, tag);
			assert_int_equal(life_of(&r, 1)->how, rows[i].how);
			assert_int_equal(life_of(&r, 1)->loaded, rows[i].time);
			recorded_end(&r);
		}
	}
}

/* Programs that the list has, although they were loaded after the beginning, wait for their copies. */
static void test_beginning_late(void **state)
{
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	THERE(&r.progs, 1, 2);
	r.info.load_time = 1001;
	assert_int_equal(catalog_begin(&r.cat), 0);
	assert_int_equal(r.cat.n, 0);
	r.info.load_time = 1000;
	catalog_note_load(&r.cat, 2, 1000, 7, tag);
	assert_int_equal(catalog_begin(&r.cat), 0);
	assert_int_equal(life_of(&r, 1)->how, LIFE_BEFORE);
	assert_true(catalog_waits(recorded_find(&r, 2)));
	r.refuses_lists = true;
	assert_int_equal(catalog_begin(&r.cat), -EPERM);
	recorded_end(&r);
}

static void test_copied(void **state)
{
	struct recorded r;
	struct captured c = copy_of(5, 2001);
	const struct life *life;

	(void)state;
	recorded_begin(&r);
	catalog_note_load(&r.cat, 5, 1990, 9, tag);
	assert_true(catalog_waits(recorded_find(&r, 5)));
	assert_false(catalog_has(&r.cat, 5));
	catalog_add_copy(&r.cat, &c);
	assert_true(catalog_has(&r.cat, 5));
	assert_false(catalog_waits(recorded_find(&r, 5)));
	life = life_of(&r, 5);
	assert_int_equal(life->how, LIFE_COPIED);
	assert_null(life->missing);
	assert_int_equal(life->loaded, 2000);
	assert_true(life->has_loader);
	assert_int_equal(life->pid, 7);
	assert_int_equal(life->uid, 33);
	assert_string_equal(life->comm, "loader");
	/* It is not asked again, and not loaded again by a late announcement. */
	THERE(&r.progs, 5);
	catalog_look(&r.cat, UINT64_MAX);
	catalog_note_load(&r.cat, 5, 1990, 9, tag);
	assert_int_equal(life->how, LIFE_COPIED);
	assert_int_equal(life->loaded, 2000);
	recorded_end(&r);
}

/* An incomplete copy: the kernel is asked; if the program is gone, the copy says what it lacks. */
static void test_incomplete(void **state)
{
	struct recorded r;
	struct captured c = copy_of(5, 2001);

	(void)state;
	recorded_begin(&r);
	THERE(&r.progs, 5);
	c.missing = CAPTURED_LOST;
	catalog_add_copy(&r.cat, &c);
	assert_int_equal(life_of(&r, 5)->how, LIFE_ASKED);
	assert_null(life_of(&r, 5)->missing);
	c = copy_of(6, 2002);
	c.missing = CAPTURED_LOST | CAPTURED_DEVICE;
	catalog_add_copy(&r.cat, &c);
	assert_int_equal(life_of(&r, 6)->how, LIFE_COPIED);
	assert_string_equal(life_of(&r, 6)->missing, "parts,device");
	assert_true(catalog_has(&r.cat, 6));
	/* A second, complete copy of it. */
	c.missing = 0;
	catalog_add_copy(&r.cat, &c);
	assert_null(life_of(&r, 6)->missing);
	/* Only an id. */
	c = (struct captured){ .id = 7, .time = 2003, .missing = CAPTURED_LOST };
	catalog_add_copy(&r.cat, &c);
	assert_int_equal(life_of(&r, 7)->how, LIFE_MISSED);
	assert_int_equal(life_of(&r, 7)->loaded, 2003);
	assert_false(catalog_has(&r.cat, 7));
	assert_false(catalog_waits(recorded_find(&r, 7)));
	recorded_end(&r);
}

/* Types that neither the copy nor the kernel has are missing, and only then. */
static void test_types(void **state)
{
	static const unsigned char types[] = "types";
	struct recorded r;
	struct captured c = copy_of(5, 2001);

	(void)state;
	recorded_begin(&r);
	c.info.btf_id = 3;
	catalog_add_copy(&r.cat, &c);
	assert_string_equal(life_of(&r, 5)->missing, "types");
	THERE(&r.btfs, 3);
	c.id = 6;
	catalog_add_copy(&r.cat, &c);
	assert_null(life_of(&r, 6)->missing);
	/* They are in the file: neither read nor written again. */
	r.btf_reads = 0;
	c.id = 7;
	c.missing = CAPTURED_BTF;
	THERE(&r.btfs, 9);
	catalog_add_copy(&r.cat, &c);
	assert_null(life_of(&r, 7)->missing);
	assert_int_equal(r.btf_reads, 0);
	/* The copy has them. */
	c = copy_of(8, 2002);
	c.info.btf_id = 4;
	c.btf = (struct captured_bytes){ types, sizeof(types) };
	catalog_add_copy(&r.cat, &c);
	assert_null(life_of(&r, 8)->missing);
	recorded_end(&r);
}

/* Programs without a copy are asked for when their time has come. */
static void test_look(void **state)
{
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	THERE(&r.progs, 5, 7);
	catalog_note_load(&r.cat, 5, 2000, 7, tag);
	catalog_note_load(&r.cat, 6, 2001, 7, tag);
	catalog_note_load(&r.cat, 7, 2002, 7, tag);
	catalog_look(&r.cat, 2002);
	assert_int_equal(life_of(&r, 5)->how, LIFE_ASKED);
	assert_int_equal(life_of(&r, 5)->loaded, 2000);
	assert_false(life_of(&r, 5)->has_loader);
	assert_int_equal(life_of(&r, 6)->how, LIFE_MISSED);
	assert_memory_equal(recorded_find(&r, 6)->tag, tag, sizeof(tag));
	assert_false(catalog_waits(recorded_find(&r, 6)));
	assert_true(catalog_waits(recorded_find(&r, 7)));
	catalog_look(&r.cat, 2003);
	assert_int_equal(life_of(&r, 7)->how, LIFE_ASKED);
	/* A copy that comes after it was asked for only tells the loader. */
	catalog_add_copy(&r.cat, &(struct captured){ .id = 7, .time = 2004, .info = { .type = 1 }, .pid = 7 });
	assert_int_equal(life_of(&r, 7)->how, LIFE_ASKED);
	assert_true(life_of(&r, 7)->has_loader);
	recorded_end(&r);
}

/* A copy when another process closed it names the loader only if the announcement does. */
static void test_loader(void **state)
{
	struct recorded r;
	struct captured c = copy_of(5, 2001);

	(void)state;
	recorded_begin(&r);
	c.by_loader = false;
	catalog_note_load(&r.cat, 5, 2000, 8, tag);
	catalog_add_copy(&r.cat, &c);
	assert_false(life_of(&r, 5)->has_loader);
	c.pid = 8;
	catalog_add_copy(&r.cat, &c);
	assert_true(life_of(&r, 5)->has_loader);
	assert_int_equal(life_of(&r, 5)->pid, 8);
	/* Of another process namespace: pid 0 names nobody. */
	c.id = 6;
	c.pid = 0;
	catalog_note_load(&r.cat, 6, 2000, 0, tag);
	catalog_add_copy(&r.cat, &c);
	assert_false(life_of(&r, 6)->has_loader);
	recorded_end(&r);
}

static void test_unloads(void **state)
{
	const uint64_t code = 0xffff0000;
	struct recorded r;
	struct captured c = copy_of(5, 2001);

	(void)state;
	recorded_begin(&r);
	assert_false(catalog_note_unload(&r.cat, 5, 3000));
	c.array[CAPTURED_JITED_KSYMS] = (struct captured_bytes){ &code, sizeof(code) };
	catalog_add_copy(&r.cat, &c);
	assert_false(catalog_note_code_gone(&r.cat, code + 1, 3000));
	assert_false(catalog_note_code_gone(&r.cat, code, 1999)); /* what was there before */
	assert_true(catalog_note_code_gone(&r.cat, code, 3000));
	assert_true(life_of(&r, 5)->gone);
	assert_int_equal(life_of(&r, 5)->gone_at, 3000);
	assert_false(catalog_note_code_gone(&r.cat, code, 3001));
	assert_int_equal(life_of(&r, 5)->gone_at, 3000);
	/* The code of a program that the kernel was asked for. */
	THERE(&r.progs, 6);
	r.addr = 0x8000;
	assert_int_equal(catalog_begin(&r.cat), 0);
	assert_true(catalog_note_code_gone(&r.cat, 0x8006, 3002));
	assert_int_equal(life_of(&r, 6)->gone_at, 3002);
	assert_true(catalog_note_unload(&r.cat, 6, 3003));
	assert_int_equal(life_of(&r, 6)->gone_at, 3003);
	recorded_end(&r);
}

/* Programs of one process, and not our own. */
static void test_only(void **state)
{
	struct own_object ours = { OBJECT_PROG, 4, 0 };
	struct recorded r;
	struct captured c;

	(void)state;
	recorded_begin(&r);
	r.own = (struct own){ .all = &ours, .n = 1 };
	r.cat.only_pid = 7;
	catalog_note_load(&r.cat, 0, 2000, 7, tag);
	catalog_note_load(&r.cat, 4, 2000, 7, tag);
	catalog_note_load(&r.cat, 5, 2000, 8, tag);
	assert_int_equal(r.cat.n, 0);
	catalog_note_load(&r.cat, 6, 2000, 7, tag);
	assert_int_equal(r.cat.n, 1);
	c = copy_of(8, 2001);
	catalog_add_copy(&r.cat, &c);
	assert_true(catalog_has(&r.cat, 8));
	c = copy_of(9, 2001);
	c.pid = 8;
	catalog_add_copy(&r.cat, &c);
	c.by_loader = false;
	catalog_add_copy(&r.cat, &c);
	assert_null(recorded_find(&r, 9));
	c.id = 6; /* it was announced */
	catalog_add_copy(&r.cat, &c);
	assert_true(catalog_has(&r.cat, 6));
	recorded_end(&r);
}

static void has_bound(struct recorded *r, struct source *archive)
{
	static const uint32_t bound[] = { 20, 21 }, all[] = { 20, 21, 22 };
	struct abi_prog_info info;
	struct blob b;

	recorded_has(r, archive, "prog/5/map_ids", bound, sizeof(bound));
	recorded_has(r, archive, "prog/6/map_ids", bound, sizeof(bound));
	assert_int_equal(source_get(archive, r->arena, &b, "prog/5/info"), 0);
	memcpy(&info, b.p, sizeof(info));
	assert_int_equal(b.n, sizeof(info));
	assert_int_equal(info.nr_map_ids, 2);
	assert_int_equal(info.type, 2);
	recorded_has(r, archive, "map/ids", all, sizeof(all));
	recorded_has(r, archive, "map/21/info", NULL, 0);
}

/* Maps that are bound to a program after its load: its copy gets them, or the kernel is asked again. */
static void test_bound(void **state)
{
	static const uint32_t first = 20;
	struct captured c = copy_of(5, 2001);
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	THERE(&r.maps, 20, 21, 22);
	c.array[CAPTURED_MAP_IDS] = (struct captured_bytes){ &first, sizeof(first) };
	c.info.nr_map_ids = 1;
	catalog_add_copy(&r.cat, &c);
	for (int i = 0; i < 2; i++)
		catalog_add_copy(&r.cat, &(struct captured){ .id = 5, .bound_map = 21 });
	THERE(&r.progs, 6);
	assert_int_equal(catalog_begin(&r.cat), 0);
	r.prog_maps[0] = 20, r.prog_maps[1] = 21;
	r.info.nr_map_ids = 2;
	catalog_add_copy(&r.cat, &(struct captured){ .id = 6, .bound_map = 21 });
	/* Neither of an unknown program, nor of one that is not in the file. */
	catalog_add_copy(&r.cat, &(struct captured){ .id = 99, .bound_map = 22 });
	assert_null(recorded_find(&r, 99));
	catalog_note_load(&r.cat, 8, 2000, 7, tag);
	catalog_add_copy(&r.cat, &(struct captured){ .id = 8, .bound_map = 22 });
	assert_false(catalog_has(&r.cat, 8));
	source_record_renew(r.file, &(const struct asked){ question_of(Q_INFO, OBJECT_MAP), 22 }, r.arena,
			    &(struct blob){ 0 });
	source_record_renew(r.file, &(const struct asked){ question_of(Q_INFO, OBJECT_MAP), 20 }, r.arena,
			    &(struct blob){ 0 });
	catalog_list(&r.cat, 0);
	recorded_finish(&r, has_bound);
	recorded_end(&r);
}

static const struct life *find(const struct lives *l, uint32_t id)
{
	const struct life *ret = lives_find(l, id);

	assert_non_null(ret);
	return ret;
}

static void has_lists(struct recorded *r, struct source *archive)
{
	static const uint32_t progs[] = { 3, 5, 9 }, btfs[] = { 2 };
	struct lives lives;
	struct blob b;

	recorded_has(r, archive, "prog/ids", progs, sizeof(progs));
	recorded_has(r, archive, "btf/ids", btfs, sizeof(btfs));
	assert_int_equal(source_get(archive, r->arena, &b, "sys/lives"), 0);
	assert_int_equal(lives_parse(&lives, &b, r->arena), 0);
	assert_int_equal(lives.from, 1000);
	assert_int_equal(lives.to, 9000);
	assert_int_equal(lives.n, 4);
	assert_int_equal(find(&lives, 3)->how, LIFE_BEFORE);
	assert_false(find(&lives, 3)->gone);
	assert_true(find(&lives, 5)->gone);
	assert_int_equal(find(&lives, 8)->how, LIFE_MISSED);
	assert_int_equal(find(&lives, 9)->how, LIFE_ASKED);
	assert_null(lives_find(&lives, 7));
}

/* The end: who is not in the list is gone, what was saved meanwhile is added, and the lists have all in the file. */
static void test_end(void **state)
{
	struct captured c = copy_of(5, 2001);
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	THERE(&r.progs, 3);
	THERE(&r.btfs, 2);
	c.info.btf_id = 2;
	assert_int_equal(catalog_begin(&r.cat), 0);
	catalog_add_copy(&r.cat, &c);
	catalog_note_load(&r.cat, 7, 2000, 7, tag);
	catalog_note_load(&r.cat, 8, 1999, 7, tag);
	catalog_look(&r.cat, 2000);
	THERE(&r.progs, 3, 9, 10);
	source_record_renew(r.file, &(const struct asked){ question_of(Q_INFO, OBJECT_PROG), 9 }, r.arena,
			    &(struct blob){ 0 });
	assert_int_equal(catalog_end(&r.cat, false), 0);
	assert_null(recorded_find(&r, 9));
	assert_int_equal(catalog_end(&r.cat, true), 0);
	assert_int_equal(life_of(&r, 9)->how, LIFE_ASKED);
	assert_null(recorded_find(&r, 10));
	assert_true(life_of(&r, 5)->gone);
	assert_false(life_of(&r, 3)->gone);
	r.refuses_lists = true;
	assert_int_equal(catalog_end(&r.cat, true), -EPERM);
	assert_false(life_of(&r, 3)->gone);
	r.refuses_lists = false;
	catalog_list(&r.cat, 9000);
	recorded_finish(&r, has_lists);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beginning), cmocka_unit_test(test_beginning_late),
		cmocka_unit_test(test_copied),	  cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_types),	  cmocka_unit_test(test_look),
		cmocka_unit_test(test_loader),	  cmocka_unit_test(test_unloads),
		cmocka_unit_test(test_only),	  cmocka_unit_test(test_bound),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
