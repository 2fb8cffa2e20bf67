/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include "kernel/perf/sideband.h"
#include "recording/poke_log.h"
#include "source/codes.h"

static void note(struct poke_log *log, uint64_t addr, uint64_t time, const char *old, const char *now)
{
	poke_log_note(log, &(const struct sideband_record){ .kind = SIDEBAND_TEXT,
							    .time = time,
							    .text = { addr, (uint16_t)strlen(old),
								      (uint16_t)strlen(now), (const unsigned char *)old,
								      (const unsigned char *)now } });
}

static void found(struct poke_log *log, uint64_t since, uint64_t time, const char *old, const char *now)
{
	poke_log_found(log, 0x5000, since, time, (const unsigned char *)old, (const unsigned char *)now, strlen(old));
}

static void read_back(struct recorded *r, struct arena *a, struct pokes *ret)
{
	struct source *archive = NULL;
	struct err e = { 0 };

	assert_int_equal(source_record_finish(r->file, &e), 0);
	assert_int_equal(source_archive(&archive, r->dir.file, &e), 0);
	assert_int_equal(pokes_read(archive, a, ret), 0);
	source_close(&archive);
}

static void check(const struct poke *p, uint64_t addr, uint64_t since, uint64_t time, const char *old, const char *now)
{
	assert_true(p->addr == addr && p->since == since && p->time == time && p->len == strlen(old));
	assert_memory_equal(p->old, old, p->len);
	assert_memory_equal(p->now, now, p->len);
}

static void begin(struct recorded *r, struct poke_log *log)
{
	recorded_begin(r);
	poke_log_init(log);
	poke_log_use(log, r->file);
}

static void end(struct recorded *r, struct poke_log *log)
{
	poke_log_close(log);
	recorded_end(r);
}

/* Only in pages with code of BPF, also if the code is announced after its change is; none of other lengths. */
static void test_pages(void **state)
{
	ARENA a = arena_new();
	struct recorded r;
	struct poke_log log;
	struct pokes all;

	(void)state;
	begin(&r, &log);
	note(&log, 0x1010, 5, "ab", "cd");
	note(&log, 0x9010, 6, "ab", "cd");
	note(&log, 0x1010, 7, "", "cd");
	note(&log, 0x1010, 7, "ab", "c");
	assert_true(log.last == 7);
	poke_log_code(&log, 0x1000, 64, 0);
	poke_log_write(&log);
	note(&log, 0x3ff0, 8, "cd", "ab");
	poke_log_code(&log, 0x2000, 0x2001, 0);
	poke_log_code(&log, 0x9000, 0, 0);
	poke_log_write(&log);
	poke_log_write(&log);
	assert_int_equal(log.pieces, 3);
	read_back(&r, a, &all);
	assert_true(all.known && all.silent && !all.lost);
	assert_int_equal(all.n, 2);
	check(&all.v[0], 0x1010, 5, 5, "ab", "cd");
	check(&all.v[1], 0x3ff0, 8, 8, "cd", "ab");
	end(&r, &log);
}

/* Where code was changed, the next code is noted. */
static void test_next_code(void **state)
{
	ARENA a = arena_new();
	struct recorded r;
	struct poke_log log;
	struct pokes all;

	(void)state;
	begin(&r, &log);
	poke_log_code(&log, 0x1000, 64, 4);
	note(&log, 0x1010, 5, "ab", "cd");
	poke_log_write(&log);
	poke_log_code(&log, 0x1000, 64, 9);
	poke_log_code(&log, 0x7000, 64, 10);
	poke_log_write(&log);
	read_back(&r, a, &all);
	assert_true(all.n >= 2);
	assert_true(all.v[0].addr == 0x1000 && !all.v[0].len && all.v[0].time == 9);
	check(&all.v[1], 0x1010, 5, 5, "ab", "cd");
	end(&r, &log);
}

/* What is found and was announced meanwhile is not written again. */
static void test_found(void **state)
{
	ARENA a = arena_new();
	struct recorded r;
	struct poke_log log;
	struct pokes all;

	(void)state;
	begin(&r, &log);
	poke_log_code(&log, 0x5000, 64, 0);
	note(&log, 0x5002, 15, "c", "C");
	note(&log, 0x5005, 5, "f", "F"); /* before the last reading */
	found(&log, 10, 20, "abcdefgh", "aBCdeFGh");
	poke_log_write(&log);
	read_back(&r, a, &all);
	assert_int_equal(all.n, 4);
	check(&all.v[0], 0x5001, 10, 20, "b", "B");
	check(&all.v[1], 0x5002, 15, 15, "c", "C");
	check(&all.v[2], 0x5005, 5, 5, "f", "F");
	check(&all.v[3], 0x5005, 10, 20, "fg", "FG");
	end(&r, &log);
}

static void test_lost(void **state)
{
	ARENA a = arena_new();
	struct recorded r;
	struct poke_log log;
	struct pokes all;

	(void)state;
	begin(&r, &log);
	log.listened_at = 50;
	poke_log_write(&log);
	log.listened_at = 60;
	log.lost = 3;
	poke_log_write(&log);
	poke_log_write(&log);
	assert_int_equal(log.pieces, 2);
	read_back(&r, a, &all);
	assert_int_equal(all.lost, 50);
	end(&r, &log);
}

/* Zeroed, it does nothing. */
static void test_closed(void **state)
{
	struct poke_log log = { 0 };

	(void)state;
	poke_log_use(&log, NULL);
	poke_log_code(&log, 1, 1, 1);
	poke_log_listen(&log);
	poke_log_write(&log);
	poke_log_close(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages), cmocka_unit_test(test_next_code), cmocka_unit_test(test_found),
		cmocka_unit_test(test_lost),  cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
