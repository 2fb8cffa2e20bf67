/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "kernel/bpf.h"
#include "host/pins.h"

/* All tests run in a new mount namespace: "fs" is a bpffs in a directory of /tmp, "plain" next to it is
 * not a bpffs. */
struct world {
	bool ok;
	char top[64], fs[80], plain[80];
	int map, prog;
	uint32_t map_id, prog_id;
};
static struct world w = { .map = -1, .prog = -1 };

static uint32_t id_of(int fd)
{
	uint32_t info[2] = { 0 }, len = sizeof(info);

	assert_int_equal(sys_object_info(fd, info, &len), 0);
	return info[1];
}

static int setup(void **state)
{
	struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };

	(void)state;
	w.map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pt_map", 4, 4, 1, NULL);
	w.prog = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "pt_prog", "GPL", insns, 2, NULL);
	if (w.map < 0 || w.prog < 0 || unshare(CLONE_NEWNS) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmp", "/tmp", "tmpfs", 0, NULL))
		return 0;
	strcpy(w.top, "/tmp/pins");
	snprintf(w.fs, sizeof(w.fs), "%s/a b.fs", w.top);
	snprintf(w.plain, sizeof(w.plain), "%s/plain", w.top);
	if (mkdir(w.top, 0700) || mkdir(w.fs, 0700) || mkdir(w.plain, 0700) || mount("bpf", w.fs, "bpf", 0, NULL))
		return 0;
	while (!umount2("/sys/fs/bpf", MNT_DETACH))
		;
	w.map_id = id_of(w.map);
	w.prog_id = id_of(w.prog);
	w.ok = true;
	return 0;
}

#define NEED_WORLD() \
	do { \
		(void)state; \
		if (!w.ok) \
			skip_because("a bpffs cannot be mounted here"); \
	} while (0)

static const char *in_fs(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", w.fs, name);
	return path;
}

static const char *in_plain(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", w.plain, name);
	return path;
}

static bool on_disk(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static void test_pin_read_unpin(void **state)
{
	enum object_kind kind = OBJECT_BTF;
	struct err e = { 0 };
	uint32_t id = 0;

	NEED_WORLD();
	assert_int_equal(pins_pin(w.map, in_fs("m"), false, &e), 0);
	assert_int_equal(pins_read(in_fs("m"), &kind, &id), 0);
	assert_int_equal(kind, OBJECT_MAP);
	assert_int_equal(id, w.map_id);
	assert_int_equal(pins_unpin(in_fs("m"), OBJECT_PROG, &e), -EMEDIUMTYPE);
	assert_non_null(strstr(e.msg, "pinned map, not a program"));
	assert_true(on_disk(in_fs("m")));
	err_clear(&e);
	kind = OBJECT_KINDS;
	assert_int_equal(pins_check(in_fs("m"), &kind, &id, &e), 0);
	assert_int_equal(kind, OBJECT_MAP);
	kind = OBJECT_LINK;
	assert_int_equal(pins_check(in_fs("m"), &kind, &id, &e), -EMEDIUMTYPE);
	err_clear(&e);
	assert_int_equal(pins_unpin(in_fs("m"), OBJECT_MAP, &e), 0);
	assert_false(on_disk(in_fs("m")));
	assert_int_equal(pins_read(in_fs("m"), &kind, &id), -ENOENT);
	assert_int_equal(pins_unpin(in_fs("m"), OBJECT_MAP, &e), -ENOENT);
}

static void test_pin_refusals(void **state)
{
	struct err e = { 0 };

	NEED_WORLD();
	assert_int_equal(pins_pin(w.prog, in_fs("a.b"), false, &e), -EPERM);
	assert_non_null(strstr(e.msg, "dot"));
	assert_int_equal(err_exit_status(&e), EXIT_FAILED);
	err_clear(&e);
	assert_int_equal(pins_pin(w.prog, in_fs("no/where"), false, &e), -ENOENT);
	assert_non_null(strstr(e.hint, "mkdir"));
	err_clear(&e);
	assert_int_equal(pins_pin(w.prog, in_fs(""), false, &e), -EINVAL);
	err_clear(&e);
	assert_int_equal(pins_pin(w.prog, "", false, &e), -EINVAL);
	err_clear(&e);
	assert_int_equal(pins_pin(w.prog, in_fs("p"), false, &e), 0);
	assert_int_equal(pins_pin(w.prog, in_fs("p"), false, &e), -EEXIST);
	assert_int_equal(unlink(in_fs("p")), 0);
}

/* A program takes the place of a map, and mode and owner stay; a pin that was left beside it does not matter. */
static void test_pin_new(void **state)
{
	enum object_kind kind;
	struct err e = { 0 };
	struct stat st;
	uint32_t id;

	NEED_WORLD();
	assert_int_equal(pins_pin_new(w.prog, in_fs("m"), &e), -ENOENT);
	err_clear(&e);
	assert_int_equal(pins_rename_new(in_fs("m"), &e), -ENOENT);
	err_clear(&e);
	assert_int_equal(pins_pin(w.map, in_fs("m"), false, &e), 0);
	assert_int_equal(pins_pin(w.map, in_fs("m~"), false, &e), 0);
	assert_int_equal(chmod(in_fs("m"), 0640) | chown(in_fs("m"), 12, 34), 0);
	assert_int_equal(pins_pin_new(w.prog, in_fs("m"), &e), 0);
	assert_int_equal(pins_read(in_fs("m"), &kind, &id), 0);
	assert_int_equal(kind, OBJECT_MAP);
	assert_true(pins_is_new(in_fs("m~")));
	assert_false(pins_is_new(in_fs("m")));
	assert_int_equal(pins_rename_new(in_fs("m"), &e), 0);
	assert_int_equal(pins_read(in_fs("m"), &kind, &id), 0);
	assert_int_equal(kind, OBJECT_PROG);
	assert_int_equal(id, w.prog_id);
	assert_int_equal(stat(in_fs("m"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_uid, 12);
	assert_int_equal(st.st_gid, 34);
	assert_false(on_disk(in_fs("m~")));
	assert_int_equal(pins_pin_new(w.map, in_fs("m"), &e), 0);
	pins_remove_new(in_fs("m"));
	assert_false(on_disk(in_fs("m~")));
	assert_int_equal(unlink(in_fs("m")), 0);
}

static void test_lock(void **state)
{
	struct err e = { 0 };
	int fd, again;

	NEED_WORLD();
	assert_int_equal(pins_lock(in_fs("no/where"), &e), -ENOENT);
	err_clear(&e);
	fd = pins_lock(in_fs("m"), &e);
	assert_true(fd >= 0);
	again = open(w.fs, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(again, LOCK_EX | LOCK_NB), -1);
	close(fd);
	assert_int_equal(flock(again, LOCK_EX | LOCK_NB), 0);
	close(again);
}

/* Never mount over an ordinary directory. */
static void test_pin_elsewhere(void **state)
{
	struct err e = { 0 };

	NEED_WORLD();
	assert_int_equal(pins_pin(w.prog, in_plain("p"), false, &e), -EPERM);
	assert_non_null(strstr(e.hint, "mount -t bpf bpf"));
	assert_int_equal(err_exit_status(&e), EXIT_FAILED);
	assert_int_equal(umount2(w.plain, MNT_DETACH), -1);
	assert_false(on_disk(in_plain("p")));
	err_clear(&e);
	assert_int_equal(pins_pin(w.prog, w.plain, false, &e), -EEXIST);
}

static void test_home(void **state)
{
	struct err e = { 0 };
	struct stat st;

	NEED_WORLD();
	if (access("/sys/fs/bpf", F_OK))
		skip_because("/sys/fs/bpf does not exist");
	assert_int_equal(pins_pin(w.map, "/sys/fs/bpf/pt_home", true, &e), -EPERM);
	assert_non_null(strstr(e.hint, "--nomount"));
	err_clear(&e);
	/* A failure leaves no mount. */
	assert_true(pins_pin(-1, "/sys/fs/bpf/pt_home", false, &e) < 0);
	assert_int_equal(umount2("/sys/fs/bpf", MNT_DETACH), -1);
	err_clear(&e);
	assert_int_equal(pins_pin(w.map, "/sys/fs/bpf/pt_home", false, &e), 0);
	assert_int_equal(stat("/sys/fs/bpf", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(pins_unpin("/sys/fs/bpf/pt_home", OBJECT_MAP, &e), 0);
	assert_int_equal(umount2("/sys/fs/bpf", MNT_DETACH), 0);
}

static void test_unpin_refusals(void **state)
{
	CLEAN_FD fd = -1;
	struct err e = { 0 };

	NEED_WORLD();
	fd = open(in_plain("file"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_int_equal(pins_unpin(in_plain("file"), OBJECT_MAP, &e), -EXDEV);
	assert_true(on_disk(in_plain("file")));
	err_clear(&e);
	assert_int_equal(mkdir(in_fs("dir"), 0700), 0);
	assert_int_equal(pins_unpin(in_fs("dir"), OBJECT_MAP, &e), -EISDIR);
	err_clear(&e);
	assert_int_equal(pins_pin(w.map, in_fs("dir/m"), false, &e), 0);
	assert_int_equal(symlink("dir/m", in_fs("link")), 0);
	assert_int_equal(pins_unpin(in_fs("link"), OBJECT_MAP, &e), -EMEDIUMTYPE);
	assert_true(on_disk(in_fs("dir/m")));
	err_clear(&e);
	assert_int_equal(unlink(in_fs("link")), 0);
	assert_int_equal(pins_unpin(in_fs("dir/m"), OBJECT_MAP, &e), 0);
	assert_int_equal(rmdir(in_fs("dir")), 0);
}

static void test_collect(void **state)
{
	struct err e = { 0 };
	char want[512];
	STR s = { 0 };

	NEED_WORLD();
	assert_int_equal(mkdir(in_fs("sub"), 0700), 0);
	assert_int_equal(pins_pin(w.map, in_fs("sub/m"), false, &e), 0);
	assert_int_equal(pins_pin(w.prog, in_fs("p\nq"), false, &e), 0);
	assert_int_equal(symlink("sub", in_fs("loop")), 0);
	/* A second mount on the same point hides the first; another file system over a bpffs hides it. */
	assert_int_equal(mount("tmp", w.plain, "bpf", 0, NULL), 0);
	assert_int_equal(mount("tmp", w.plain, "tmpfs", 0, NULL), 0);
	assert_int_equal(pins_collect(&s, NULL, NULL), 0);
	snprintf(want, sizeof(want), "map %u %s/a\\040b.fs/sub/m\n", w.map_id, w.top);
	assert_non_null(strstr(s.p, want));
	snprintf(want, sizeof(want), "prog %u %s/a\\040b.fs/p\\012q\n", w.prog_id, w.top);
	assert_non_null(strstr(s.p, want));
	/* Other users of this machine may also have pins. */
	snprintf(want, sizeof(want), "%s/a\\040b.fs/loop", w.top);
	assert_null(strstr(s.p, want));
	assert_null(strstr(s.p, w.plain));
	assert_int_equal(umount2(w.plain, MNT_DETACH), 0);
	assert_int_equal(umount2(w.plain, MNT_DETACH), 0);
	assert_int_equal(unlink(in_fs("loop")), 0);
	assert_int_equal(unlink(in_fs("p\nq")), 0);
	assert_int_equal(unlink(in_fs("sub/m")), 0);
	assert_int_equal(rmdir(in_fs("sub")), 0);
}

/* Two processes in a mount namespace of their own with a bpffs and two pins; the one that made it is our child. */
struct elsewhere {
	pid_t first, other;
	char path[160];
	bool ended;
};

static void elsewhere_run(int ready)
{
	pid_t other;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNS) || mount("bpf", w.plain, "bpf", 0, NULL) || bpf_obj_pin(w.map, in_plain("x")) ||
	    bpf_obj_pin(w.map, in_plain("y")))
		_exit(1);
	other = fork();
	if (!other || write(ready, &other, sizeof(other)) == sizeof(other))
		for (alarm(60);;)
			pause();
	_exit(1);
}

static void elsewhere_begin(struct elsewhere *o)
{
	int ready[2];

	assert_int_equal(pipe(ready), 0);
	o->first = fork();
	if (!o->first)
		elsewhere_run(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &o->other, sizeof(o->other)), sizeof(o->other));
	close(ready[0]);
	snprintf(o->path, sizeof(o->path), "/proc/%d/root%s/", (int)o->first, w.plain);
}

static void end_first(void *ctx, enum object_kind kind, uint32_t id, const char *path)
{
	struct elsewhere *o = ctx;

	(void)kind, (void)id;
	if (o->ended || !str_starts(path, o->path))
		return;
	kill(o->first, SIGKILL);
	o->ended = waitpid(o->first, NULL, 0) == o->first;
}

/* The process through which pins were read ends: they are read through another one, each is there once. */
static void test_collect_again(void **state)
{
	struct elsewhere o = { 0 };
	char want[256];
	STR s = { 0 };

	NEED_WORLD();
	elsewhere_begin(&o);
	assert_int_equal(pins_collect(&s, end_first, &o), 0);
	kill(o.other, SIGKILL);
	assert_true(o.ended);
	assert_null(strstr(s.p, o.path));
	for (const char *name = "xy"; *name; name++) {
		snprintf(want, sizeof(want), "map %u /proc/%d/root%s/%c\n", w.map_id, (int)o.other, w.plain, *name);
		assert_non_null(strstr(s.p, want));
		assert_null(strstr(strstr(s.p, want) + 1, want));
	}
}

static void test_read_other(void **state)
{
	enum object_kind kind;
	uint32_t id;

	NEED_WORLD();
	assert_int_equal(pins_read("/", &kind, &id), -EXDEV);
	assert_int_equal(pins_read("/proc/self/status", &kind, &id), -EXDEV);
	assert_int_equal(pins_open("/proc/self/status", true, &kind, &id), -EXDEV);
	assert_int_equal(pins_read(w.fs, &kind, &id), -EISDIR);
	assert_true(pins_read("", &kind, &id) < 0);
}

/* A process that exchanges two directories repeatedly until it ends; -1: the file system does not support that. */
static pid_t exchange(const char *a, const char *b)
{
	pid_t pid;

	if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* The kind is checked where the name is removed, not where the path leads later. */
static void test_unpin_moving(void **state)
{
	char maps[128], progs[128], path[160];
	int status, taken = 0;
	time_t end = time(NULL) + 10;
	pid_t mover;

	NEED_WORLD();
	snprintf(maps, sizeof(maps), "%s/maps", w.fs);
	snprintf(progs, sizeof(progs), "%s/progs", w.fs);
	snprintf(path, sizeof(path), "%s/maps/x", w.fs);
	assert_int_equal(mkdir(maps, 0700) | mkdir(progs, 0700), 0);
	assert_int_equal(bpf_obj_pin(w.map, in_fs("maps/x")), 0);
	assert_int_equal(bpf_obj_pin(w.prog, in_fs("progs/x")), 0);
	mover = exchange(maps, progs);
	while (mover > 0 && taken < 50 && time(NULL) < end) {
		if (pins_unpin(path, OBJECT_MAP, NULL)) {
			sched_yield();
			continue;
		}
		/* One of both directories has no pin; it must be the one that had the map. */
		kill(mover, SIGKILL);
		waitpid(mover, &status, 0);
		assert_int_equal(on_disk(in_fs("maps/x")) + on_disk(in_fs("progs/x")), 1);
		assert_int_equal(pins_check(on_disk(in_fs("maps/x")) ? in_fs("maps/x") : in_fs("progs/x"),
					    &(enum object_kind){ OBJECT_PROG }, &(uint32_t){ 0 }, NULL),
				 0);
		assert_int_equal(bpf_obj_pin(w.map, on_disk(in_fs("maps/x")) ? in_fs("progs/x") : in_fs("maps/x")), 0);
		taken++;
		mover = exchange(maps, progs);
	}
	if (mover > 0) {
		kill(mover, SIGKILL);
		waitpid(mover, &status, 0);
	}
	unlink(in_fs("maps/x"));
	unlink(in_fs("progs/x"));
	rmdir(maps);
	rmdir(progs);
	if (mover < 0)
		skip_because("this bpffs does not exchange directories");
	assert_true(taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pin_read_unpin), cmocka_unit_test(test_pin_refusals),
		cmocka_unit_test(test_pin_elsewhere),  cmocka_unit_test(test_home),
		cmocka_unit_test(test_unpin_refusals), cmocka_unit_test(test_unpin_moving),
		cmocka_unit_test(test_collect),	       cmocka_unit_test(test_read_other),
		cmocka_unit_test(test_pin_new),	       cmocka_unit_test(test_lock),
		cmocka_unit_test(test_collect_again),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
