/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../keys.h"
#include "../../test.h"

#include <linux/bpf.h>
#include <sys/wait.h>
#include <unistd.h>

#include "own/runs/prog_stats.h"
#include "source/info.h"
#include "source/live/known.h"
#include "source/once.h"

/* Maps below 100 are arrays, others hashes without memory of their own; 300 is refused. Counts what it is asked. */
static unsigned asked;
/* What a walk over all programs found. */
static struct prog_stats stats[8];
static size_t nstats;

static int machine_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_map_info *info = arena_alloc(a, sizeof(*info));
	const char *text = arena_fmt(a, "pos:\t0\nmemlock:\t%u\nrun_cnt:\t%u\n", (unsigned)q->id, ++asked);

	info->id = (uint32_t)q->id;
	info->type = q->id < 100 ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_HASH;
	info->map_flags = q->id < 100 ? 0 : BPF_F_NO_PREALLOC;
	*ret = q->q >= question_of(Q_FDINFO, 0) && q->q <= question_of(Q_FDINFO, OBJECT_KINDS - 1) ?
		       (struct blob){ (const void *)text, strlen(text) } :
		       (struct blob){ (const void *)info, sizeof(*info) };
	return q->id == 300 ? -EPERM : 0;
}

static void machine_close(struct source *s)
{
}

static struct source *reading(struct known *k)
{
	static const struct source_ops ops = { .name = "machine", .get = machine_get, .close = machine_close };
	static struct source machine = { .ops = &ops };

	asked = 0;
	return source_known(&machine, k, stats, nstats);
}

/* How often the machine is asked this twice over. */
static unsigned asks(struct source *s, const char *name)
{
	const unsigned before = asked;

	for (int i = 0; i < 2; i++) {
		ARENA a = arena_new();
		struct blob b;
		const unsigned number = asked, id = (unsigned)atoi(strchr(name, '/') + 1);
		const int err = source_get(s, a, &b, "%s", name);
		uint64_t memory = 0, runs;

		assert_true(err == (strstr(name, "/300/") ? -EPERM : 0));
		if (err)
			continue;
		if (!strstr(name, "/fdinfo")) {
			assert_int_equal(((const struct abi_map_info *)(const void *)b.p)->id, id);
			continue;
		}
		assert_true(fdinfo_u64(b, "memlock", &memory) && memory == id);
		/* What does not last is in no answer that is known. */
		assert_int_equal(fdinfo_u64(b, "run_cnt", &runs), number != asked);
	}
	return asked - before;
}

static void lasting_answers(void **state)
{
	static const struct {
		const char *name;
		unsigned first, later;
	} cases[] = {
		{ "map/7/info", 1, 0 },	    { "map/7/fdinfo", 1, 0 },  { "map/100/info", 1, 0 },
		{ "map/100/fdinfo", 2, 2 }, { "prog/7/fdinfo", 1, 0 }, { "prog/7/info", 2, 2 },
		{ "link/7/info", 2, 2 },    { "map/300/info", 2, 2 },  { "map/300/fdinfo", 2, 2 },
		{ "prog/7/map_ids", 2, 2 },
	};
	struct known *k = known_new();

	assert_non_null(k);
	for (int round = 0; round < 4; round++) {
		struct source *s = reading(k);

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			assert_int_equal(asks(s, cases[i].name), round ? cases[i].later : cases[i].first);
		source_close(&s);
		known_end(k);
	}
	known_free(&k);
	assert_null(k);
}

/* What is not asked again is gone, and its id may be that of another. */
static void forgotten(void **state)
{
	static const struct {
		const char *name;
		unsigned asks[4]; /* in each round; 9: it is not asked about */
	} cases[] = {
		{ "map/7/info", { 1, 9, 2, 9 } },
		{ "map/8/info", { 1, 0, 0, 0 } },
		{ "map/9/info", { 9, 1, 9, 2 } },
		{ "map/10/info", { 9, 1, 0, 0 } },
	};
	struct known *k = known_new();

	for (unsigned round = 0; round < ARRAY_SIZE(cases->asks); round++) {
		struct source *s = reading(k);

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			if (cases[i].asks[round] != 9)
				assert_int_equal(asks(s, cases[i].name), cases[i].asks[round]);
		source_close(&s);
		known_end(k);
	}
	known_free(&k);
}

/* An object that comes before others that are known is asked about each time, and does not disturb them. */
static void out_of_order(void **state)
{
	struct known *k = known_new();

	for (unsigned round = 0; round < 3; round++) {
		struct source *s = reading(k);

		assert_int_equal(asks(s, "map/20/info"), !round);
		assert_int_equal(asks(s, "map/5/info"), 2);
		assert_int_equal(asks(s, "map/30/info"), !round);
		assert_int_equal(asks(s, "map/20/info"), 0);
		source_close(&s);
		known_end(k);
	}
	known_free(&k);
}

/* Whoever keeps answers above it need not keep those. */
static void kept_once(void **state)
{
	struct known *k = known_new();
	struct source *s = reading(k);

	assert_true(known_keeps(s, &(struct asked){ .q = question_of(Q_INFO, OBJECT_MAP), .id = 7 }));
	assert_false(known_keeps(s, &(struct asked){ .q = question_of(Q_INFO, OBJECT_PROG), .id = 7 }));
	s = source_once(s);
	assert_false(known_keeps(s, &(struct asked){ .q = question_of(Q_INFO, OBJECT_MAP), .id = 7 }));
	assert_int_equal(asks(s, "map/7/info"), 1);
	assert_int_equal(asks(s, "prog/7/info"), 1);
	source_close(&s);
	known_free(&k);
}

static int prog_machine_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct abi_prog_info *info = arena_alloc(a, sizeof(*info));

	*info = (struct abi_prog_info){
		.id = (uint32_t)q->id, .load_time = q->id == 9 ? 70 + asked : 7, .nr_map_ids = 2, .run_cnt = 1000
	};
	asked++;
	*ret = (struct blob){ (const void *)info, sizeof(*info) };
	return 0;
}

static uint64_t runs(struct source *s, unsigned id, unsigned asks)
{
	ARENA a = arena_new();
	const unsigned before = asked;
	struct blob b;
	struct abi_prog_info info;

	assert_int_equal(source_get(s, a, &b, "prog/%u/info", id), 0);
	assert_int_equal(asked - before, asks);
	assert_int_equal(b.n, sizeof(info));
	memcpy(&info, b.p, sizeof(info));
	assert_int_equal(info.id, id);
	assert_true(info.run_cnt == 1000 ||
		    (info.run_time_ns == info.run_cnt + 1 && info.recursion_misses == info.run_cnt + 2));
	return info.run_cnt;
}

/* Counters are those of the walk, also of a program that is known; one with other facts is another program. */
static void counted(void **state)
{
	static const struct source_ops ops = { .name = "machine", .get = prog_machine_get, .close = machine_close };
	struct source machine = { .ops = &ops };
	struct known *k = known_new();

	for (unsigned round = 0; round < 3; round++) {
		struct source *s;

		nstats = 0;
		for (unsigned id = 7; id < 11; id++)
			stats[nstats++] =
				(struct prog_stats){ id, id == 8 ? 1 + round : 2, 7, round, round + 1, round + 2 };
		s = source_known(&machine, k, stats, nstats);
		assert_int_equal(runs(s, 6, 1), 1000); /* not in the walk */
		assert_int_equal(runs(s, 7, !round), round ? round : 1000);
		assert_int_equal(runs(s, 8, round != 1), round == 1 ? 1 : 1000); /* a map is added in each round */
		assert_int_equal(runs(s, 9, 1), 1000); /* each time another one with this id */
		assert_int_equal(runs(s, 10, !round), round ? round : 1000);
		source_close(&s);
		known_end(k);
	}
	nstats = 0;
	known_free(&k);
}

/* A child that is killed half-way changes nothing; what another one found is known to the next. */
static void of_children(void **state)
{
	struct known *k = known_new();

	for (int round = 0; round < 4; round++) {
		const pid_t pid = fork();
		int status;

		if (!pid) {
			struct source *s = reading(k);
			const unsigned want = round < 2 ? 1 : 0;

			if (asks(s, round == 0 ? "map/9/info" : "map/7/info") != want ||
			    (round == 3 && asks(s, "map/9/info") != 1))
				_exit(1);
			_exit(0);
		}
		assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
		assert_int_equal(status, 0);
		if (round != 0)
			known_end(k);
	}
	known_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lasting_answers), cmocka_unit_test(forgotten), cmocka_unit_test(out_of_order),
		cmocka_unit_test(kept_once),	   cmocka_unit_test(counted),	cmocka_unit_test(of_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
