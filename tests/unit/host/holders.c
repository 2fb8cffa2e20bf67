/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "host/holders.h"
#include "own/own.h"
#include "host/holders_fdinfo.h"

static struct own own;

/* A child that holds one object of each kind. */
struct child {
	pid_t pid;
	uint32_t id[OBJECT_KINDS]; /* 0: could not be created */
};

static uint32_t id_of(int fd)
{
	uint32_t info[64] = { 0 }, len = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, info, &len) ? info[1] : 0; /* type, id, ... */
}

static uint32_t btf_id_of(int fd)
{
	struct bpf_btf_info info = { 0 };
	uint32_t len = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) ? info.id : 0;
}

static int btf_make(void)
{
	struct {
		struct abi_btf_header h;
		struct btf_type t;
		uint32_t bits;
		char strs[8];
	} d = {
		.h = { .magic = BTF_MAGIC,
		       .version = BTF_VERSION,
		       .hdr_len = sizeof(d.h),
		       .type_len = 16,
		       .str_off = 16,
		       .str_len = 5 },
		.t = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.bits = 32,
		.strs = "\0int",
	};

	return bpf_btf_load(&d, sizeof(d.h) + 21, NULL);
}

#define COOKIE 0x123456789abcull

/* A link of a perf event, with a cookie (since Linux 5.15). */
static int link_make(void)
{
	struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000000 };
	CLEAN_FD prog = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "ht_link", "GPL", insns, 2, NULL);
	CLEAN_FD event = (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = COOKIE);

	return bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
}

static void child_run(int out)
{
	struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	uint32_t id[OBJECT_KINDS];
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ht_map", 4, 4, 1, NULL);

	prctl(PR_SET_NAME, "ht-child");
	id[OBJECT_PROG] = id_of(bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "ht_prog", "GPL", insns, 2, NULL));
	id[OBJECT_MAP] = id_of(map);
	if (dup(map) < 0)
		_exit(1);
	id[OBJECT_LINK] = id_of(link_make());
	id[OBJECT_BTF] = btf_id_of(btf_make());
	if (write(out, id, sizeof(id)) == (ssize_t)sizeof(id))
		pause();
	_exit(1);
}

static bool bpf_is_here(void)
{
	CLEAN_FD map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ht_try", 4, 4, 1, NULL);

	return map >= 0;
}

static struct child child_start(void (*run)(int out))
{
	struct child c = { 0 };
	int fds[2];

	if (!bpf_is_here())
		skip_because("no BPF object can be made here");
	assert_int_equal(pipe(fds), 0);
	c.pid = fork();
	assert_true(c.pid >= 0);
	if (!c.pid) {
		close(fds[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(fds[1]);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], c.id, sizeof(c.id)), sizeof(c.id));
	close(fds[0]);
	return c;
}

static void child_end(const struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

/* Processes that list objects meanwhile may also hold them. */
static const struct holder *holder_of(const struct holders *t, int kind, const struct child *c)
{
	const struct holder *h, *found = NULL;
	uint32_t n;

	h = holders_find(t, (enum object_kind)kind, c->id[kind], &n);
	for (uint32_t i = 0; i < n; i++) {
		if (h[i].pid != (uint32_t)c->pid)
			continue;
		assert_null(found);
		found = &h[i];
	}
	assert_non_null(found);
	return found;
}

static void check_child(const struct str *s, const struct child *c, bool cookie)
{
	ARENA a = arena_new();
	struct holders *t = holders_parse(s->p, s->n, a);

	for (int k = 0; k < OBJECT_KINDS; k++) {
		const struct holder *h;

		if (!c->id[k])
			continue;
		h = holder_of(t, k, c);
		assert_string_equal(h->comm, "ht-child");
		if (k != OBJECT_LINK || cookie)
			assert_int_equal(h->cookie, k == OBJECT_LINK ? COOKIE : 0);
	}
}

static void check_not_us(const struct str *s)
{
	for (size_t i = 0; i + sizeof(struct holder_raw) <= s->n; i += sizeof(struct holder_raw)) {
		struct holder_raw raw;

		memcpy(&raw, s->p + i, sizeof(raw));
		assert_int_not_equal(raw.pid, getpid());
	}
}

/* False: the kernel does not have the iterator. */
static bool by_way(int way, const struct holders_of *of, struct str *ret)
{
	unsigned major = 0, minor = 0;
	struct utsname u;
	int err = holders_by(&own, (enum holders_way)way, of, ret);

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	/* On newer kernels, a refusal is from the verifier. */
	if (err != -EPERM && err != -ENOENT && (major << 8 | minor) >= (way == HOLDERS_BY_TASKS ? 0x511 : 0x508))
		assert_int_equal(err, 0);
	return !err;
}

static void test_ways(void **state)
{
	struct child c = child_start(child_run);
	STR fdinfo = { 0 };
	bool whole, any = false;
	int fd;

	(void)state;
	if (!c.id[OBJECT_PROG]) {
		child_end(&c);
		skip_because("programs cannot be loaded here");
	}
	fd = btf_make();
	for (int way = 0; way < HOLDERS_WAYS; way++) {
		STR iter = { 0 };

		if (!by_way(way, NULL, &iter))
			continue;
		any = true;
		check_child(&iter, &c, true);
		check_not_us(&iter);
	}
	assert_int_equal(holders_by_fdinfo(&fdinfo, &whole), 0);
	close(fd);
	child_end(&c);
	check_child(&fdinfo, &c, false); /* fdinfo has cookies since Linux 6.17 only */
	check_not_us(&fdinfo);
	if (!any)
		skip_because("the kernel has no iterator of files");
}

static sem_t thread_ready;

#define MANY 3000 /* more than one buffer has room for */

/* A thread with its own descriptor table and a map that its process does not have. */
static void *thread_run(void *arg)
{
	if (!unshare(CLONE_FILES))
		*(uint32_t *)arg = id_of(bpf_map_create(BPF_MAP_TYPE_ARRAY, "ht_thread", 4, 4, 1, NULL));
	sem_post(&thread_ready);
	pause();
	return NULL;
}

static void many_run(int out)
{
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ht_many", 4, 4, 1, NULL);
	uint32_t id[OBJECT_KINDS] = { [OBJECT_MAP] = id_of(map) };
	struct rlimit limit;
	pthread_t thread;

	prctl(PR_SET_NAME, "ht-child");
	getrlimit(RLIMIT_NOFILE, &limit);
	/* Init of a small system may have a hard limit of 4096. */
	limit.rlim_max = limit.rlim_max > MANY * 3 ? limit.rlim_max : MANY * 3;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 1; i < MANY; i++)
		if (dup(map) < 0)
			_exit(1);
	if (dup2(map, MANY * 2) < 0)
		_exit(1);
	sem_init(&thread_ready, 0, 0);
	/* Its position does not matter. */
	if (pthread_create(&thread, NULL, thread_run, &id[OBJECT_PROG]))
		_exit(1);
	sem_wait(&thread_ready);
	if (write(out, id, sizeof(id)) == (ssize_t)sizeof(id))
		pause();
	_exit(1);
}

static size_t count(const struct str *s, uint32_t map, const struct child *c)
{
	size_t n = 0;

	for (const struct holder_raw *h = (const void *)s->p; (const char *)h < s->p + s->n; h++)
		n += h->kind == OBJECT_MAP && h->id == map && h->pid == (uint32_t)c->pid;
	return n;
}

/* Each of very many descriptors once, and those of a thread with its own table. */
static void test_many(void **state)
{
	struct child c = child_start(many_run);
	bool any = false;

	(void)state;
	for (int way = 0; way < HOLDERS_WAYS; way++) {
		STR s = { 0 };

		if (!by_way(way, NULL, &s))
			continue;
		any = true;
		assert_int_equal(count(&s, c.id[OBJECT_MAP], &c),
				 (MANY + 1) * (c.id[OBJECT_PROG] ? 2 : 1)); /* the thread's table was a copy */
		assert_int_equal(count(&s, c.id[OBJECT_PROG], &c), c.id[OBJECT_PROG] ? 1 : 0);
	}
	child_end(&c);
	if (!any)
		skip_because("the kernel has no iterator of files");
}

static size_t times_held(const struct str *s, pid_t pid)
{
	size_t n = 0;

	for (const struct holder_raw *h = (const void *)s->p; (const char *)h < s->p + s->n; h++)
		n += h->pid == (uint32_t)pid;
	return n;
}

/* Both ways return the holders of one object, and no others. */
static void test_one(void **state)
{
	NEEDS_SYSFS();
	struct child c = child_start(child_run);
	STR all = { 0 };
	size_t n = 0;

	(void)state;
	for (int k = 0; k < OBJECT_KINDS; k++) {
		struct holders_of of = { (enum object_kind)k, c.id[k],
					 c.id[k] ? sys_object_open((enum object_kind)k, c.id[k]) : -1 };
		const char *way = NULL;
		STR s = { 0 };
		int why = 0;

		if (!c.id[k])
			continue;
		/* Once, for any number of descriptors in the process; others may also read the object. */
		for (int by = 0; by < HOLDERS_WAYS; by++) {
			STR one = { 0 };

			if (by_way(by, &of, &one))
				assert_int_equal(times_held(&one, c.pid), 1);
		}
		assert_int_equal(holders_by_iterator(&own, &of, k % 2 ? 0 : HOLDERS_MANY, &all), 0);
		assert_int_equal(times_held(&all, c.pid), ++n);
		assert_int_equal(holders_collect(&own, &of, &s, &way, &why, NULL), 0);
		assert_true(s.n >= sizeof(struct holder_raw));
		for (const struct holder_raw *h = (const void *)s.p; (const char *)h < s.p + s.n; h++)
			assert_true(h->kind == HOLDER_UNSEEN || (h->kind == (uint32_t)k && h->id == of.id));
		close(of.fd);
	}
	child_end(&c);
	if (!c.id[OBJECT_PROG])
		skip_because("programs cannot be loaded here");
	check_child(&all, &c, true);
	check_not_us(&all);
}

static int open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_collect(void **state)
{
	const char *way = NULL;
	struct err e = { 0 };
	STR s = { 0 };
	int before = open_fds(), why = 1;

	(void)state;
	assert_int_equal(holders_collect(&own, NULL, &s, &way, &why, &e), 0);
	assert_true(!strcmp(way, "fdinfo") || (!strcmp(way, "iterator") && !why));
	assert_true(why <= 0);
	assert_int_equal(s.n % sizeof(struct holder_raw), 0);
	assert_int_equal(open_fds(), before);
	check_not_us(&s);
}

/* In a child without privileges, the second way answers, and reports that it is incomplete. */
static void test_unprivileged(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip_because("needs root");
	if (!bpf_is_here())
		skip_because("bpf(2) is not available here");
	NEEDS_SYSFS();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const char *way = "";
		ARENA a = arena_new();
		STR s = { 0 };
		int why = 0;

		_exit(setresuid(65534, 65534, 65534) || holders_collect(&own, NULL, &s, &way, &why, NULL) ||
		      strcmp(way, "fdinfo") || (why && why != -EPERM) ||
		      holders_unseen(holders_parse(s.p, s.n, a)) != -EACCES);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int release(void **state)
{
	(void)state;
	own_release(&own);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {

		cmocka_unit_test(test_ways),	cmocka_unit_test(test_many),	     cmocka_unit_test(test_one),
		cmocka_unit_test(test_collect), cmocka_unit_test(test_unprivileged),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
