/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"
#include "../../directory.h"
#include "../../../tools/fake_source.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/source.h"
#include "source/file/archive.h"
#include "source/file/recorder.h"
#include "recorder.h"

static void same_answers(struct source *one, struct source *two, struct arena *a)
{
	for (const struct fake_answer *w = fake; w->key; w++) {
		struct blob x = { 0 }, y = { 0 };
		int err = source_get(one, a, &x, "%s", w->key);

		if (!strcmp(w->key, "meta") || str_starts(w->key, "sys/ksym/"))
			continue;
		assert_int_equal(source_get(two, a, &y, "%s", w->key), err);
		assert_int_equal(x.n, y.n);
		if (x.n)
			assert_memory_equal(x.p, y.p, x.n);
	}
}

static void archive_equals(void **state)
{
	struct source *s, *inner = NULL, *saved = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	struct stat st;
	struct blob b;
	struct dir d;
	STR meta = { 0 };

	(void)state;
	dir_make(&d);
	s = recorder(&d, "map-data not saved");
	assert_int_equal(source_fake(&inner, fake), 0);
	same_answers(inner, s, a);
	same_answers(inner, s, a);
	assert_int_equal(source_get(s, a, &b, "sys/ksym/__bpf_call_base"), -ENODATA);
	assert_int_equal(source_get(s, a, &b, "no/such/key"), -ENODATA);
	source_idle(s);
	assert_int_equal(source_record_finish(s, &e), 0);
	assert_int_equal(source_get(s, a, &b, "prog/ids"), 0);
	source_close(&s);
	assert_int_equal(directory_count(d.path), 1);
	assert_int_equal(stat(d.file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(source_archive(&saved, d.file, &e), 0);
	same_answers(inner, saved, a);
	assert_int_equal(source_get(saved, a, &b, "no/such/key"), -ENODATA);
	assert_int_equal(source_get(saved, a, &b, "sys/ksym/__bpf_call_base"), -ENODATA);
	assert_int_equal(source_get(saved, a, &b, "meta"), 0);
	str_add(&meta, b.p, b.n);
	assert_non_null(strstr(meta.p, "\ncreated 2"));
	assert_non_null(strstr(meta.p, "\nmap-data not saved\n"));
	source_close(&saved);
	source_close(&inner);
	dir_drop(&d);
}

static void not_finished(void **state)
{
	ARENA a = arena_new();
	struct source *s;
	struct blob b;
	struct dir d;
	FILE *f;

	(void)state;
	dir_make(&d);
	f = fopen(d.file, "w");
	assert_non_null(f);
	fputs("precious", f);
	fclose(f);
	s = recorder(&d, NULL);
	assert_int_equal(source_get(s, a, &b, "prog/ids"), 0);
	source_close(&s);
	assert_int_equal(directory_count(d.path), 1);
	STR text = { 0 };
	assert_int_equal(str_read_file(&text, d.file, 100), 0);
	assert_string_equal(text.p, "precious");
	dir_drop(&d);
}

static void replaces(void **state)
{
	struct err e = { 0 };
	struct source *s;
	struct dir d;
	FILE *f;
	STR text = { 0 };

	(void)state;
	dir_make(&d);
	f = fopen(d.file, "w");
	assert_non_null(f);
	fputs("old", f);
	fclose(f);
	chmod(d.file, 0666);
	s = recorder(&d, NULL);
	assert_int_equal(source_record_finish(s, &e), 0);
	source_close(&s);
	assert_int_equal(directory_count(d.path), 1);
	assert_int_equal(str_read_file(&text, d.file, 10000), 0);
	assert_memory_equal(text.p, "\x1f\x8b", 2);
	dir_drop(&d);
}

static void refuses(void **state)
{
	static const struct {
		const char *path;
		int want;
	} bad[] = {
		{ "/dev/null", -EEXIST },
		{ "/tmp", -EEXIST },
		{ "/nonexistent/dir/file", -ENOENT },
	};
	struct source *inner = NULL, *s = NULL;

	(void)state;
	assert_int_equal(source_fake(&inner, fake), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = { 0 };

		assert_int_equal(source_record(&s, inner, bad[i].path, NULL, &e), bad[i].want);
		assert_non_null(strstr(e.msg, bad[i].path));
		/* The message may be NULL. */
		assert_int_equal(source_record(&s, inner, bad[i].path, NULL, NULL), bad[i].want);
		assert_null(s);
	}
	source_close(&inner);
}

/* No space in the middle: answers continue, the end returns the reason, and no file is left. */
static void no_room(void **state)
{
	CLEAN_PTR unsigned char *noise = malloc(1 << 20);
	struct fake_answer big[] = { { "btf/1/data", 0, noise, 1 << 20 }, { "btf/2/data", 0, "x", 1 }, { 0 } };
	struct source *inner = NULL, *s = NULL;
	struct rlimit old, small = { 65536, 65536 };
	struct err e = { 0 };
	ARENA a = arena_new();
	struct blob b;
	struct dir d;

	(void)state;
	srandom(3);
	for (int i = 0; i < 1 << 20; i++)
		noise[i] = (unsigned char)random();
	dir_make(&d);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(source_fake(&inner, big), 0);
	assert_int_equal(source_record(&s, inner, d.file, NULL, &e), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(source_get(s, a, &b, "btf/1/data"), 0);
	assert_int_equal(b.n, 1 << 20);
	assert_int_equal(source_get(s, a, &b, "btf/2/data"), 0);
	assert_int_equal(source_record_finish(s, &e), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_non_null(strstr(e.msg, d.file));
	source_close(&s);
	assert_int_equal(directory_count(d.path), 0);
	dir_drop(&d);
}

/* tar(1) can read it. */
static void tar_reads_it(void **state)
{
	struct err e = { 0 };
	ARENA a = arena_new();
	struct source *s;
	char cmd[256], line[256] = "";
	struct blob b;
	struct dir d;
	FILE *f;

	(void)state;
	if (system("tar --version >/dev/null 2>&1"))
		skip_because("tar is not installed");
	dir_make(&d);
	s = recorder(&d, NULL);
	for (const struct fake_answer *w = fake; w->key; w++)
		source_get(s, a, &b, "%s", w->key);
	assert_int_equal(source_record_finish(s, &e), 0);
	source_close(&s);
	snprintf(cmd, sizeof(cmd), "tar tzf %s 2>&1 | tr '\\n' ' '", d.file);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_int_equal(pclose(f), 0);
	assert_string_equal(
		line,
		"meta prog/ids prog/1/info prog/2/info.errno map/1/elems/start.errno map/2/info.errno prog/1/xlated "
		"pin/%2Fsys%2Ffs%2Fbpf%2Fa%20b%2F%2E.%2F%C3%A4%2Eerrno link/12/buf/16.24.0+32.24.8 index ");
	dir_drop(&d);
}

/* Completes the file of @s, which is closed, and opens it. */
static struct source *finished(struct source *s, const struct dir *d)
{
	struct source *ret = NULL;

	assert_int_equal(source_record_finish(s, NULL), 0);
	source_close(&s);
	assert_int_equal(source_archive(&ret, d->file, NULL), 0);
	return ret;
}

/* A later answer replaces the first. */
static void again(void **state)
{
	struct source *s, *saved = NULL;
	ARENA a = arena_new();
	struct blob b;
	struct dir d;

	(void)state;
	dir_make(&d);
	s = recorder(&d, NULL);
	assert_int_equal(source_get(s, a, &b, "prog/ids"), 0);
	assert_int_equal(source_get(s, a, &b, "prog/2/info"), -EPERM);
	source_record_again(s, &(const struct asked){ question_of(Q_IDS, OBJECT_PROG) }, "\1\0\0\0", 4);
	source_record_again(s, &(const struct asked){ question_of(Q_INFO, OBJECT_PROG), 2 }, "there", 5);
	source_record_again(s, &(const struct asked){ question_of(Q_INFO, OBJECT_PROG), 1 }, "first", 5);
	source_record_once(s, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
		assert_int_equal(b.n, 12);
	}
	source_record_once(s, false);
	source_record_sync(s);
	saved = finished(s, &d);
	assert_int_equal(source_get(saved, a, &b, "prog/ids"), 0);
	assert_int_equal(b.n, 4);
	assert_int_equal(source_get(saved, a, &b, "prog/2/info"), 0);
	assert_int_equal(b.n, 5);
	assert_int_equal(source_get(saved, a, &b, "prog/1/info"), 0);
	assert_int_equal(b.n, 5);
	source_close(&saved);
	dir_drop(&d);
}

/* A draft is replaced by the answer, even a refusal, but not because the object has gone; and it replaces none. */
static void draft(void **state)
{
	static const struct {
		const char *key;
		int err;
		size_t n;
	} rows[] = { { "prog/1/info", 0, 12 }, { "prog/2/info", -EPERM, 0 }, { "map/2/info", 0, 5 } };
	struct source *s, *saved = NULL;
	ARENA a = arena_new();
	struct blob b;
	struct dir d;

	(void)state;
	dir_make(&d);
	s = recorder(&d, NULL);
	for (int i = 0; i < 2; i++) {
		const struct asked of[] = { { question_of(Q_INFO, OBJECT_PROG), 1 },
					    { question_of(Q_INFO, OBJECT_PROG), 2 },
					    { question_of(Q_INFO, OBJECT_MAP), 2 } };

		for (size_t k = 0; k < ARRAY_SIZE(of); k++) {
			source_record_draft(s, &of[k], "draft", 5);
			assert_int_equal(source_record_has(s, &of[k]), i);
			source_get(s, a, &b, "%s", rows[k].key);
			assert_true(source_record_has(s, &of[k]));
		}
	}
	saved = finished(s, &d);
	for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
		assert_int_equal(source_get(saved, a, &b, "%s", rows[k].key), rows[k].err);
		if (!rows[k].err)
			assert_int_equal(b.n, rows[k].n);
	}
	source_close(&saved);
	dir_drop(&d);
}

/* Answers that wait too long are lost: the more wait, the faster compression is. All of it can be read, with any
 * compression level. */
static void waiting(void **state)
{
	static const uint64_t bytes[] = { 0, 1ull << 30, 0 };
	static unsigned char text[1 << 18];
	const unsigned last = ARRAY_SIZE(bytes);
	struct source *s, *saved = NULL;
	off_t size[ARRAY_SIZE(bytes) + 1];
	ARENA a = arena_new();
	char partial[128];
	struct stat st;
	struct blob b;
	struct dir d;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i ^ (i & 7) * (i >> 9)) & 0x3f;
	dir_make(&d);
	snprintf(partial, sizeof(partial), "%s.partial", d.file);
	s = recorder(&d, NULL);
	for (unsigned i = 0; i <= last; i++) {
		assert_int_equal(stat(partial, &st), 0);
		size[i] = st.st_size;
		if (i == last)
			break;
		source_record_waiting(s, bytes[i]);
		source_record_again(s, &(const struct asked){ Q_PROG_XLATED, i }, text, sizeof(text));
	}
	assert_true(size[1] - size[0] < (off_t)sizeof(text));
	assert_true(size[2] - size[1] > (off_t)sizeof(text));
	assert_true(llabs((size[3] - size[2]) - (size[1] - size[0])) <= 64);
	saved = finished(s, &d);
	for (unsigned i = 0; i < last; i++) {
		assert_int_equal(source_get(saved, a, &b, "prog/%u/xlated", i), 0);
		assert_int_equal(b.n, sizeof(text));
		assert_memory_equal(b.p, text, sizeof(text));
	}
	source_close(&saved);
	dir_drop(&d);
}

/* From the beginning the file is an archive of the answers before the first wait. */
static void readable_before_its_end(void **state)
{
	struct source *s, *saved = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();
	uint64_t answers;
	char partial[128];
	struct blob b;
	struct dir d;

	(void)state;
	dir_make(&d);
	snprintf(partial, sizeof(partial), "%s.partial", d.file);
	s = recorder(&d, NULL);
	assert_int_equal(source_archive(&saved, partial, &e), 0);
	assert_true(source_archive_cut(saved, &answers));
	assert_int_equal(answers, 1);
	source_close(&saved);
	assert_int_equal(source_get(s, a, &b, "prog/ids"), 0);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	source_idle(s);
	assert_int_equal(source_archive(&saved, partial, &e), 0);
	assert_true(source_archive_cut(saved, &answers));
	assert_int_equal(answers, 3);
	assert_int_equal(source_get(saved, a, &b, "prog/1/info"), 0);
	source_close(&saved);
	assert_int_equal(source_archive(&saved, d.file, &e), -ENOENT);
	assert_non_null(strstr(e.hint, partial));
	source_close(&s);
	assert_int_equal(directory_count(d.path), 0);
	dir_drop(&d);
}

static bool count(void *n)
{
	++*(int *)n;
	return false;
}

/* Several files in succession, from one source. */
static void next_file(void **state)
{
	struct source *s, *next;
	struct err e = { 0 };
	struct arena *a = arena_new();
	struct blob b;
	struct dir d;
	sigset_t held;
	char path[100], partial[110];
	int asked = 0;

	(void)state;
	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, NULL);
	dir_make(&d);
	s = recorder(&d, "");
	source_record_between(s, count, &asked);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	assert_int_equal(source_record_peek(s, &(const struct asked){ Q_PROG_XLATED, 1 }, a, &b), 0);
	assert_int_equal(asked, 2);
	source_idle(s);
	assert_true(source_record_size(s) > 0);
	/* The wait is checked. */
	raise(SIGTERM);
	assert_int_equal(source_get(s, a, &b, "prog/2/info"), -EPERM);
	/* The next file has no answers and no name yet. Both ask. */
	snprintf(path, sizeof(path), "%s.1", d.file);
	snprintf(partial, sizeof(partial), "%s.partial", path);
	assert_int_equal(source_record_next(&next, s, path, "", &e), 0);
	source_record_between(next, count, &asked);
	assert_int_equal(directory_count(d.path), 1);
	assert_false(source_record_has(next, &(const struct asked){ question_of(Q_INFO, OBJECT_PROG), 1 }));
	assert_int_equal(source_get(next, a, &b, "prog/1/info"), 0);
	assert_int_equal(source_get(s, a, &b, "prog/1/xlated"), 0);
	assert_int_equal(asked, 5);
	assert_int_equal(source_record_show(next, &e), 0);
	assert_int_equal(access(partial, F_OK), 0);
	assert_int_equal(source_record_finish(s, &e), 0);
	assert_int_equal(asked, 6);
	source_close(&s);
	assert_int_equal(source_get(next, a, &b, "prog/2/info"), -EPERM);
	assert_int_equal(source_record_finish(next, &e), 0);
	source_close(&next);
	assert_int_equal(sigwaitinfo(&held, NULL), SIGTERM);
	sigprocmask(SIG_UNBLOCK, &held, NULL);
	assert_int_equal(unlink(path), 0);
	arena_free(a);
	dir_drop(&d);
}

/* One that is closed before it is shown leaves nothing, and the file before it goes on. */
static void next_dropped(void **state)
{
	struct source *s, *next;
	struct err e = { 0 };
	struct arena *a = arena_new();
	char path[100];
	struct blob b;
	struct dir d;

	(void)state;
	dir_make(&d);
	s = recorder(&d, "");
	snprintf(path, sizeof(path), "%s/none/x", d.path);
	assert_int_equal(source_record_next(&next, s, path, "", &e), -ENOENT);
	snprintf(path, sizeof(path), "%s.1", d.file);
	assert_int_equal(source_record_next(&next, s, path, "", &e), 0);
	source_close(&next);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	assert_int_equal(source_record_finish(s, &e), 0);
	source_close(&s);
	assert_int_equal(directory_count(d.path), 1);
	arena_free(a);
	dir_drop(&d);
}

/* Readers get the first answer; a question beside them the present one. */
static void once(void **state)
{
	const struct asked q = { question_of(Q_INFO, OBJECT_PROG), 1 };
	struct source *s;
	struct err e = { 0 };
	struct arena *a = arena_new();
	struct blob b, c;
	struct dir d;

	(void)state;
	dir_make(&d);
	s = recorder(&d, "");
	source_record_once(s, true);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	assert_int_equal(source_get(s, a, &c, "prog/1/info"), 0);
	assert_ptr_equal(b.p, c.p);
	assert_int_equal(source_record_peek(s, &q, a, &c), 0);
	assert_ptr_not_equal(b.p, c.p);
	source_record_once(s, false);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	assert_int_equal(source_record_finish(s, &e), 0);
	source_close(&s);
	arena_free(a);
	dir_drop(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(archive_equals), cmocka_unit_test(not_finished),
		cmocka_unit_test(replaces),	  cmocka_unit_test(refuses),
		cmocka_unit_test(no_room),	  cmocka_unit_test(tar_reads_it),
		cmocka_unit_test(again),	  cmocka_unit_test(draft),
		cmocka_unit_test(waiting),	  cmocka_unit_test(readable_before_its_end),
		cmocka_unit_test(next_file),	  cmocka_unit_test(next_dropped),
		cmocka_unit_test(once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
