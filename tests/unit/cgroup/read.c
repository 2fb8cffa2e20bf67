/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include "cgroup/cgroup.h"
#include "cgroup/read.h"
#include "kernel/query.h"

#define TEXT(key, text) \
	{ \
		key, 0, text, sizeof(text) - 1 \
	}

/* A hybrid machine: the tree, a part of it mounted elsewhere, and one that is mounted at the root of the file system.
 */
static const struct fake_answer live[] = {
	TEXT("sys/cgroups", "1 /\n18446744073709551615 /a\n3 /a/b\n4 /ab\n5 /\n6 /x y\n"),
	TEXT("sys/cgroup_mounts", "1 /sys/fs/cgroup/unified\n3 /mnt\n5 /\n"),
	TEXT("cgroup_at//sys/fs/cgroup/unified/a/b", "3\n"),
	TEXT("cgroup_at/a", "18446744073709551615\n"),
	TEXT("cgroup_at//mnt", "3\n"),
	TEXT("cgroup_at/./7", "7\n"),
	TEXT("cgroup_at//garbage", "x\n"),
	{ "cgroup_at//tmp", -EBADF, NULL, 0 },
	{ "cgroup_at//secret", -EACCES, NULL, 0 },
	{ "cgroup_at/nothing", -ENOENT, NULL, 0 },
	{ "cgroup_at//sys/fs/cgroup/unified/nothing", -ENOENT, NULL, 0 },
	{ "cgroup_at//nothing", -ENOENT, NULL, 0 },
	{ 0 },
};
/* An archive without mounts. */
static const struct fake_answer old[] = { TEXT("sys/cgroups", "1 /\n2 /a\n"), { 0 } };
static const struct fake_answer none[] = { TEXT("sys/cgroups", ""), { 0 } };

static void found(const struct fake_answer *answers, const char *word, uint64_t want_id, const char *want_path)
{
	const char *path = NULL;
	struct lab l;
	uint64_t id = 0;

	lab_start(&l, (struct globals){ .from = "x" }, answers);
	assert_int_equal(cgroup_find(&l.env, word, &id, &path, &l.e), 0);
	assert_true(id == want_id);
	assert_string_equal(path, want_path);
	lab_end(&l);
}

static void lost(const struct fake_answer *answers, const char *word, int want, const char *msg)
{
	const char *path = "untouched";
	struct lab l;
	uint64_t id = 77;

	lab_start(&l, (struct globals){ .from = "x" }, answers);
	assert_int_equal(cgroup_find(&l.env, word, &id, &path, &l.e), want);
	assert_true(id == 77);
	assert_string_equal(path, "untouched");
	assert_string_equal(l.e.msg, msg);
	l.e = (struct err){ 0 };
	lab_end(&l);
}

static void test_find(void **state)
{
	(void)state;
	found(live, NULL, 1, "/sys/fs/cgroup/unified");
	found(live, "/sys/fs/cgroup/unified/a/b//", 3, "/sys/fs/cgroup/unified/a/b");
	found(live, "/mnt/", 3, "/mnt");
	found(live, "a", UINT64_MAX, "a");
	found(live, "18446744073709551615", UINT64_MAX, "/sys/fs/cgroup/unified/a");
	found(live, "./7", 7, "./7");
	found(live, "a/b", 3, "/sys/fs/cgroup/unified/a/b");
	found(live, "x y", 6, "/x y");
	found(live, "5", 5, "/");
	found(old, NULL, 1, "/");
	found(old, "/a", 2, "/a");
	found(old, "a", 2, "/a");
}

static void test_not_found(void **state)
{
	(void)state;
	lost(live, "2", -ENOENT, "no such cgroup: 2");
	lost(live, "18446744073709551616", -ENOENT, "no such cgroup: 18446744073709551616");
	lost(live, "nothing", -ENOENT, "no such cgroup: nothing");
	lost(live, "/nothing", -ENOENT, "no such cgroup: /nothing");
	lost(live, "/tmp", -EBADF, "/tmp is not a cgroup: it is not on a cgroup2 file system");
	lost(live, "/secret", -EACCES, "cannot open cgroup /secret: Permission denied");
	lost(live, "/garbage", -EBADMSG, "cannot open cgroup /garbage: Bad message");
	lost(none, NULL, -ENOENT, "cgroup v2 is not mounted");
}

static void test_below(void **state)
{
	const struct cgroup_dir *all, *from = NULL;
	struct lab l;
	size_t n;

	(void)state;
	lab_start(&l, (struct globals){ .from = "x" }, live);
	assert_int_equal(cgroup_all(&l.env, &all, &n, &l.e), 0);
	assert_int_equal(n, 6);
	assert_int_equal(cgroup_below(all, n, 1, &from), 4);
	assert_ptr_equal(from, all);
	assert_int_equal(cgroup_below(all, n, UINT64_MAX, &from), 2); /* "ab" is not below "a" */
	assert_string_equal(from[1].path, "/sys/fs/cgroup/unified/a/b");
	assert_int_equal(cgroup_below(all, n, 5, &from), 2);
	assert_string_equal(from[1].path, "/x y");
	assert_int_equal(cgroup_below(all, n, 6, &from), 1);
	assert_int_equal(cgroup_below(all, n, 99, &from), 0);
	lab_end(&l);
}

/* The same program with two links and once without a link: each link is listed once. */
static void test_links(void **state)
{
	static const uint32_t ids[] = { 8, 9, 10, 11 };
	const struct {
		struct prog_query_head h;
		uint32_t v[3];
	} answer = {
		{ .attach_type = 6, .attach_flags = 2, .count = 3, .has = 1u << QUERY_PROGS },
		{ 4, 4, 4 },
	};
	struct {
		uint32_t type, id, prog, pad;
		uint64_t cgroup;
		uint32_t attach_type, pad2;
	} info[] = {
		{ 3, 8, 4, 0, 50, 6, 0 },
		{ 3, 9, 4, 0, 50, 6, 0 },
		{ 3, 10, 4, 0, 50, 7, 0 },
		{ 2, 11, 4, 0, 50, 6, 0 },
	};
	const struct fake_answer answers[] = {
		{ "cgroup/50/progs", 0, &answer, sizeof(answer.h) + 12 },
		{ "link/ids", 0, ids, sizeof(ids) },
		{ "link/8/info", 0, &info[0], sizeof(info[0]) },
		{ "link/9/info", 0, &info[1], sizeof(info[1]) },
		{ "link/10/info", 0, &info[2], sizeof(info[2]) },
		{ "link/11/info", 0, &info[3], sizeof(info[3]) },
		{ 0 },
	};
	struct cgroup_reader r = { .links = true, .bare = true };
	struct cgroup_prog *p;
	struct lab l;
	uint32_t n;

	(void)state;
	lab_start(&l, (struct globals){ .from = "x" }, answers);
	r.env = &l.env;
	assert_int_equal(cgroup_read(&r, 50, "/p", &p, &n, &l.e), 0);
	assert_int_equal(n, 3);
	assert_int_equal(p[0].link_id, 8);
	assert_int_equal(p[1].link_id, 9);
	assert_int_equal(p[2].link_id, 0);
	assert_int_equal(p[2].order, 3);
	assert_string_equal(p[2].attach_flags, "multi");
	lab_end(&l);
}

static struct {
	int err;
	unsigned n;
} effective; /* how often it is asked, and the answer about cgroup 2 */

static int effective_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	if (q->q != Q_CGROUP_EFFECTIVE)
		return fake_get(s, q, a, ret);
	effective.n++;
	*ret = (struct blob){ (const unsigned char *)"", 0 };
	return q->id == 2 ? effective.err : 0;
}

static unsigned saved(int err)
{
	static const struct fake_answer answers[] = {
		TEXT("sys/cgroups", "1 /\n2 /a\n3 /b\n"),
		{ "cgroup/1/progs", 0, "", 0 },
		{ "cgroup/2/progs", 0, "", 0 },
		{ "cgroup/3/progs", 0, "", 0 },
		{ 0 },
	};
	static const struct source_ops ops = { .name = "effective", .get = effective_get, .close = fake_close };
	struct source *source;
	struct lab l;

	effective.err = err;
	effective.n = 0;
	lab_start(&l, (struct globals){ 0 }, answers);
	machine_free(&l.env.machine);
	assert_int_equal(source_fake(&source, answers), 0);
	source->ops = &ops;
	l.env.machine = machine_new(source);
	cgroup_save(&l.env);
	lab_end(&l);
	return effective.n;
}

/* A question that is refused is not asked again. A cgroup that is gone says nothing about the others. */
static void test_save(void **state)
{
	(void)state;
	assert_int_equal(saved(0), 3);
	assert_int_equal(saved(-EINVAL), 2);
	assert_int_equal(saved(-ENOENT), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),  cmocka_unit_test(test_not_found), cmocka_unit_test(test_below),
		cmocka_unit_test(test_links), cmocka_unit_test(test_save),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
