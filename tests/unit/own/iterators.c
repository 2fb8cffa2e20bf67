/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "own/bpf/counts.bpf.h"
#include "own/bpf/link_netns.bpf.h"
#include "own/counts.h"
#include "own/files.h"
#include "own/iter.h"
#include "own/link_netns.h"
#include "own/own.h"
#include "own/sockets.h"
#include "own/storage.h"

/* What the kernel is asked to run, and what the program writes; not @on: the real one. */
static struct {
	bool on;
	int err;
	const void *p;
	size_t n;
	const char *program;
	struct own_const consts;
	int map_fd;
	struct iter_walk walk;
	bool walks; /* given what to walk */
} run;

int __real_own_iter(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		    const struct iter_walk *w, struct str *ret);
int __wrap_own_iter(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		    const struct iter_walk *w, struct str *ret);
int __wrap_own_iter(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		    const struct iter_walk *w, struct str *ret)
{
	if (!run.on)
		return __real_own_iter(own, p, consts, map_fd, w, ret);
	assert_true(p->size > 64 && !memcmp(p->elf, "\177ELF", 4));
	run.program = p->name;
	run.consts = consts ? consts[0] : (struct own_const){ 0 };
	assert_true(!consts || !consts[0].name || !consts[1].name);
	run.map_fd = map_fd;
	run.walks = w;
	run.walk = w ? *w : (struct iter_walk){ 0 };
	if (!run.err)
		str_add(ret, run.p, run.n);
	return run.err;
}

static int on(void **state)
{
	(void)state;
	memset(&run, 0, sizeof(run));
	run.on = true;
	return 0;
}

static int off(void **state)
{
	(void)state;
	run.on = false;
	return 0;
}

static void test_counts(void **state)
{
	const struct count counts[] = { { .id = 7, .n = 3 }, { .id = 4000000000u, .n = UINT64_MAX }, { .id = 9 } };
	struct own own = { 0 };
	STR text = { 0 };

	(void)state;
	run.p = counts;
	run.n = sizeof(counts) - 1; /* the last record is cut */
	assert_int_equal(counts_collect(&own, &text), 0);
	assert_string_equal(text.p, "7 3\n4000000000 18446744073709551615\n");
	assert_string_equal(run.program, "counts");
	assert_int_equal(run.map_fd, -1);
	run.err = -EPERM;
	str_reset(&text);
	assert_int_equal(counts_collect(&own, &text), -EPERM);
	assert_int_equal(text.n, 0);
}

static void test_link_netns(void **state)
{
	const struct link_netns links[] = { { 3, 4026531840u }, { 12, 4026532000u } };
	struct own own = { 0 };
	STR text = { 0 };

	(void)state;
	run.p = links;
	run.n = sizeof(links);
	assert_int_equal(link_netns_collect(&own, &text), 0);
	assert_string_equal(text.p, "3 4026531840\n12 4026532000\n");
	assert_string_equal(run.program, "link_netns");
	run.err = -ENOENT;
	str_reset(&text);
	assert_int_equal(link_netns_collect(&own, &text), -ENOENT);
	assert_int_equal(text.n, 0);
}

/* One walk for all questions; each takes its records once. */
static void test_files(void **state)
{
	const struct {
		struct own_file_head h1;
		struct netns_file netns;
		struct own_file_head h2;
		struct own_task_fd event;
		struct own_file_head h3;
		struct netns_file other;
	} all = { { OWN_FILE_NETNS, sizeof(all.netns) }, { 1, 2, 3, 1 },
		  { OWN_FILE_EVENT, sizeof(all.event) }, { 4, 5 },
		  { OWN_FILE_NETNS, sizeof(all.other) }, { 6, 7, 8, 0 } };
	struct netns_file namespaces[2];
	struct own own = { 0 };
	STR raw = { 0 };

	(void)state;
	run.p = &all;
	run.n = sizeof(all);
	for (int round = 0; round < 2; round++) {
		run.program = NULL;
		str_reset(&raw);
		assert_int_equal(own_files(&own, OWN_FILE_NETNS, &raw), 0);
		assert_string_equal(run.program, "files");
		assert_string_equal(run.consts.name, "but");
		assert_true(run.consts.v);
		assert_false(run.walks);
		assert_int_equal(raw.n, sizeof(namespaces));
		memcpy(namespaces, raw.p, sizeof(namespaces));
		assert_memory_equal(&namespaces[1], &all.other, sizeof(all.other));
		run.program = NULL;
		assert_true(own_files_waits(&own, OWN_FILE_EVENT) && !own_files_waits(&own, OWN_FILE_NETNS));
		str_reset(&raw);
		assert_int_equal(own_files(&own, OWN_FILE_EVENT, &raw), 0);
		assert_int_equal(raw.n, sizeof(all.event));
		assert_memory_equal(raw.p, &all.event, sizeof(all.event));
		assert_null(run.program);
	}
	assert_true(own_files_waits(&own, OWN_FILE_FILTER));
	own_prune(&own);
	assert_false(own_files_waits(&own, OWN_FILE_FILTER));
	run.n -= 1; /* the last record is cut */
	assert_int_equal(own_files(&own, OWN_FILE_FILTER, &raw), -EBADMSG);
	run.err = -EPERM;
	assert_int_equal(own_files(&own, OWN_FILE_FILTER, &raw), -EPERM);
	assert_int_equal(raw.n, sizeof(all.event));
	own_release(&own);
}

static void test_tasks(void **state)
{
	const struct netns_task task = { 1, 2, 3, 4 };
	struct own own = { 0 };
	STR raw = { 0 };

	(void)state;
	run.p = &task;
	run.n = sizeof(task);
	assert_int_equal(netns_tasks(&own, &raw), 0);
	assert_int_equal(raw.n, sizeof(task));
	assert_memory_equal(raw.p, &task, sizeof(task));
	assert_string_equal(run.program, "netns_tasks");
	assert_false(run.walks);
}

/* Each type of storage has its program and its walk. */
static void test_storage(void **state)
{
	static const struct {
		uint32_t type;
		const char *program;
		int of;
	} rows[] = {
		{ ABI_MAP_TASK_STORAGE, "storage_task", ITER_ALL },
		{ ABI_MAP_CGRP_STORAGE, "storage_cgroup", ITER_CGROUP },
		{ ABI_MAP_SK_STORAGE, "storage_socket", ITER_MAP },
	};
	struct own own = { 0 };
	STR raw = { 0 };

	(void)state;
	run.p = "owner";
	run.n = 5;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(storage_read(&own, 33, rows[i].type, 24, &raw), 0);
		assert_string_equal(run.program, rows[i].program);
		assert_int_equal(run.walk.of, rows[i].of);
		assert_int_equal(run.map_fd, 33);
		assert_string_equal(run.consts.name, "size");
		assert_int_equal(run.consts.v, 24);
		if (rows[i].of == ITER_MAP)
			assert_int_equal(run.walk.map_fd, 33);
		if (rows[i].of == ITER_CGROUP)
			assert_int_equal(run.walk.order, ITER_DESCENDANTS_PRE);
	}
	assert_int_equal(raw.n, 15);
	run.program = NULL;
	assert_int_equal(storage_read(&own, 33, ABI_MAP_ARENA, 24, &raw), -EINVAL);
	assert_null(run.program);
	assert_int_equal(sockets_read(&own, 34, 8, &raw), 0);
	assert_string_equal(run.program, "sockmap");
	assert_int_equal(run.walk.of, ITER_MAP);
	assert_int_equal(run.walk.map_fd, 34);
	assert_int_equal(run.consts.v, 8);
	run.err = -ENOENT;
	assert_int_equal(sockets_read(&own, 34, 8, &raw), -ENOENT);
}

/* Not the path of a descriptor: nothing is opened. */
static void test_socket_path(void **state)
{
	static const char *const bad[] = { "/proc/1/fd/2x", "/proc/1/fd", "/proc/self/fd/1", "/run/netns/a", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(netns_of_socket(bad[i]), -EINVAL);
	assert_true(netns_of_socket("/proc/4194305/fd/0") < 0); /* no such process */
}

/* The reason is why there is no walk, not that nothing can be read from none. */
static void test_no_link(void **state)
{
	const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	STR text = { 0 };
	int err;

	(void)state;
	str_puts(&text, "before");
	err = iter_run(fd, NULL, NULL, &text);
	assert_true(err < 0 && err != -EBADF);
	assert_string_equal(text.p, "before");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, on, off),
		cmocka_unit_test_setup_teardown(test_link_netns, on, off),
		cmocka_unit_test_setup_teardown(test_files, on, off),
		cmocka_unit_test_setup_teardown(test_tasks, on, off),
		cmocka_unit_test_setup_teardown(test_storage, on, off),
		cmocka_unit_test(test_socket_path),
		cmocka_unit_test(test_no_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
