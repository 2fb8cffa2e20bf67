/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/caps.h"
#include "host/pins.h"
#include "kernel/bpf.h"
#include "source/live/held.h"
#include "source/source.h"
#include "source/live/source.h"

/* What is pinned or held is read without the right to open objects by id. In a mount namespace with a bpffs on /tmp. */
#define PIN "/tmp/held"

static bool can;

static int setup(void **state)
{
	(void)state;
	can = !unshare(CLONE_NEWNS) && !mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	      !mount("bpf", "/tmp", "bpf", 0, NULL);
	return 0;
}

#define NEED_BPFFS() \
	do { \
		(void)state; \
		if (!can) \
			skip_because("a bpffs cannot be mounted here"); \
	} while (0)

/* A map that only its pin holds; returns its id. */
static uint32_t map_pin(const char *path)
{
	CLEAN_FD fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "held", 4, 4, 1, NULL);
	uint32_t id = 0;

	assert_true(fd >= 0);
	assert_int_equal(bpf_obj_pin(fd, path), 0);
	assert_int_equal(sys_object_id(fd, &id), 0);
	return id;
}

static void rights_drop(cap_t *ret)
{
	*ret = cap_get_proc();
	assert_non_null(*ret);
	caps_drop();
}

static void rights_restore(cap_t *was)
{
	if (*was) {
		cap_set_proc(*was);
		cap_free(*was);
	}
	*was = NULL;
}

#define WITHOUT_RIGHTS(was) __attribute__((cleanup(rights_restore))) cap_t was = NULL

static struct source *live(void)
{
	struct source *ret = NULL;
	struct err e = { 0 };

	assert_int_equal(source_live(&ret, false, true, &e), 0);
	return ret;
}

#define SOURCE(s) __attribute__((cleanup(source_close))) struct source *s = live()

static void test_pin(void **state)
{
	WITHOUT_RIGHTS(was);
	SOURCE(s);
	ARENA a = arena_new();
	struct blob b;
	uint32_t id, other;

	NEED_BPFFS();
	id = map_pin(PIN);
	other = map_pin(PIN "_other");
	rights_drop(&was);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", id), -EPERM);
	assert_int_equal(source_get(s, a, &b, "pin/" PIN), 0);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", id), 0);
	/* Another object of the kind, and back. */
	assert_int_equal(source_get(s, a, &b, "map/%u/info", other), -EPERM);
	assert_int_equal(source_get(s, a, &b, "map/%u/elems/start", id), 0);
	/* It is closed, and opened again by its path. */
	source_idle(s);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", id), 0);
	/* The path is another object's now. */
	source_idle(s);
	assert_int_equal(unlink(PIN), 0);
	assert_int_equal(rename(PIN "_other", PIN), 0);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", id), -EPERM);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", other), -EPERM);
	assert_int_equal(source_get(s, a, &b, "pin/" PIN), 0);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", other), 0);
	assert_int_equal(unlink(PIN), 0);
	/* While it is held, its pin is not needed. */
	assert_int_equal(source_get(s, a, &b, "map/%u/fdinfo", other), 0);
}

/* The list of pins is enough to read them. */
static void test_pins(void **state)
{
	WITHOUT_RIGHTS(was);
	SOURCE(s);
	ARENA a = arena_new();
	struct blob b;
	uint32_t id;

	NEED_BPFFS();
	id = map_pin(PIN);
	rights_drop(&was);
	assert_int_equal(source_get(s, a, &b, "sys/pins"), 0);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", id), 0);
	assert_int_equal(unlink(PIN), 0);
}

/* What the caller has open; its own descriptor is independent. */
static void test_hold(void **state)
{
	WITHOUT_RIGHTS(was);
	SOURCE(s);
	ARENA a = arena_new();
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "held", 4, 4, 1, NULL), got;
	struct blob b;
	uint32_t id;

	if (fd < 0)
		skip_because("no BPF object can be made here");
	(void)state;
	assert_int_equal(sys_object_id(fd, &id), 0);
	rights_drop(&was);
	assert_int_equal(source_open(s, OBJECT_MAP, id, false), -EPERM);
	source_hold(s, OBJECT_MAP, id, fd, NULL);
	close(fd);
	assert_int_equal(source_get(s, a, &b, "map/%u/info", id), 0);
	got = source_open(s, OBJECT_MAP, id, true);
	assert_true(got >= 0);
	close(got);
	source_idle(s);
	assert_int_equal(source_open(s, OBJECT_MAP, id, false), -EPERM);
}

/* A descriptor that was opened read-only is not given to one who writes. */
static void test_access(void **state)
{
	struct held h = { 0 };
	CLEAN_FD mine = -1;
	CLEAN_FD fd = -1;
	enum object_kind kind;
	uint32_t id;

	NEED_BPFFS();
	id = map_pin(PIN);
	mine = pins_open(PIN, false, &kind, &id);
	assert_true(mine >= 0);
	assert_int_equal(fcntl(mine, F_GETFL) & O_ACCMODE, O_RDONLY);
	held_put(&h, OBJECT_MAP, id, mine, PIN);
	fd = held_open(&h, OBJECT_MAP, id, true);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	held_release(&h);
	assert_int_equal(unlink(PIN), 0);
}

/* More pins than descriptors: the last ones are read as well. */
static void test_many(void **state)
{
	struct rlimit old, few;
	WITHOUT_RIGHTS(was);
	SOURCE(s);
	ARENA a = arena_new();
	uint32_t id[300];
	char path[64];
	struct blob b;

	NEED_BPFFS();
	for (unsigned i = 0; i < ARRAY_SIZE(id); i++) {
		snprintf(path, sizeof(path), PIN "%u", i);
		id[i] = map_pin(path);
	}
	rights_drop(&was);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ 290, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(id); i++)
		assert_int_equal(source_get(s, a, &b, "pin/" PIN "%u", i), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(id); i++)
		assert_int_equal(source_get(s, a, &b, "map/%u/info", id[i]), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(id); i++) {
		snprintf(path, sizeof(path), PIN "%u", i);
		assert_int_equal(unlink(path), 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pin),    cmocka_unit_test(test_pins), cmocka_unit_test(test_hold),
		cmocka_unit_test(test_access), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
