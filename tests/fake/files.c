/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of libc on paths: /proc, /sys and /boot are below fake_root, but not the descriptors of the process. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include "fake.h"

const char *fake_root;

#define REAL(name) ((__typeof__(&name))real(#name))
#define REAL64(name) ((__typeof__(&name))real(#name "64"))

static void *real(const char *name)
{
	void *ret = dlsym(RTLD_NEXT, name);

	if (!ret)
		FAKE_ABORT();
	return ret;
}

#define FDINFO "/proc/thread-self/fdinfo"

static const char *below(const char *path, char *buf)
{
	if (!fake_root || !path || str_starts(path, "/proc/self/fd"))
		return path;
	if (!str_starts(path, "/proc") && !str_starts(path, "/sys") && !str_starts(path, "/boot"))
		return path;
	if (str_starts(path, FDINFO)) {
		/* A thread may have descriptors of its own. */
		snprintf(buf, PATH_MAX, "%s" FDINFO "-%d", fake_root, gettid());
		REAL(mkdir)(buf, 0700);
		snprintf(buf, PATH_MAX, "%s" FDINFO "-%d%s", fake_root, gettid(), path + strlen(FDINFO));
		return buf;
	}
	snprintf(buf, PATH_MAX, "%s%s", fake_root, path);
	return buf;
}

#define BELOW(path) below(path, (char[PATH_MAX]){ 0 })

static ssize_t name_of(int fd, char *ret, size_t size)
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = REAL(readlink)(link, ret, size - 1);
	ret[n < 0 ? 0 : n] = '\0';
	return n;
}

bool fake_path_of(int fd, char *ret, size_t size)
{
	char path[PATH_MAX];
	size_t n = strlen(fake_root);

	if (name_of(fd, path, sizeof(path)) < 0 || strncmp(path, fake_root, n) || path[n] != '/')
		return false;
	snprintf(ret, size, "%s", path + n);
	return true;
}

long real_syscall(long nr, ...)
{
	long a[6];
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return REAL(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int real_open(const char *path, int flags, unsigned mode)
{
	return REAL64(open)(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	unsigned mode;

	va_start(args, flags);
	mode = va_arg(args, unsigned);
	va_end(args);
	return REAL64(open)(BELOW(path), flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	const struct object *o;
	va_list args;
	unsigned mode;
	char of[64];
	int err;

	va_start(args, flags);
	mode = va_arg(args, unsigned);
	va_end(args);
	if (isdigit((unsigned char)*path) && fake_path_of(dir, of, sizeof(of)) && str_starts(of, FDINFO "-") &&
	    (o = object_of(atoi(path), UINT_MAX, &err)))
		fdinfo_write(o, atoi(path), true);
	return REAL64(openat)(dir, BELOW(path), flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return REAL64(fopen)(BELOW(path), mode);
}

DIR *opendir(const char *path)
{
	return REAL(opendir)(BELOW(path));
}

/* The size of the file of a namespace is its number. */
int stat(const char *path, struct stat *st)
{
	int err = REAL64(stat)(BELOW(path), st);

	if (!err && strstr(path, "/ns/"))
		st->st_ino = (ino_t)st->st_size;
	return err;
}

int fstat(int fd, struct stat *st)
{
	char path[PATH_MAX];
	int err = REAL64(fstat)(fd, st);

	if (!err && fake_root && fake_path_of(fd, path, sizeof(path)) && strstr(path, "/ns/"))
		st->st_ino = (ino_t)st->st_size;
	return err;
}

int lstat(const char *path, struct stat *st)
{
	return REAL64(lstat)(BELOW(path), st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return REAL64(fstatat)(dir, BELOW(path), st, flags);
}

int access(const char *path, int how)
{
	return REAL(access)(BELOW(path), how);
}

int faccessat(int dir, const char *path, int how, int flags)
{
	return REAL(faccessat)(dir, BELOW(path), how, flags);
}

int mkdir(const char *path, mode_t mode)
{
	return REAL(mkdir)(BELOW(path), mode);
}

int unlink(const char *path)
{
	return REAL(unlink)(BELOW(path));
}

int rmdir(const char *path)
{
	return REAL(rmdir)(BELOW(path));
}

char *realpath(const char *path, char *buf)
{
	char *ret = REAL(realpath)(BELOW(path), buf);
	size_t n = fake_root ? strlen(fake_root) : 0;

	if (ret && n && !strncmp(ret, fake_root, n))
		memmove(ret, ret + n, strlen(ret + n) + 1);
	return ret;
}

/* What a link of /proc/self/fd says is the kernel's name of a BPF object. */
ssize_t readlink(const char *path, char *buf, size_t size)
{
	static const char *const names[] = { "bpf-prog", "bpf-map", "bpf_link", "btf", "[perf_event]" };
	struct object *o;
	char name[PATH_MAX];
	int err;

	if (!fake_root || !str_starts(path, "/proc/self/fd/"))
		return REAL(readlink)(BELOW(path), buf, size);
	o = object_of(atoi(path + strlen("/proc/self/fd/")), UINT_MAX, &err);
	if (o)
		snprintf(name, sizeof(name), "anon_inode:%s", names[o->kind]);
	else if (!fake_path_of(atoi(path + strlen("/proc/self/fd/")), name, sizeof(name)))
		return REAL(readlink)(path, buf, size);
	memcpy(buf, name, strlen(name) < size ? strlen(name) : size);
	return (ssize_t)(strlen(name) < size ? strlen(name) : size);
}

/* Links of namespaces are files here. */
ssize_t readlinkat(int dir, const char *path, char *buf, size_t size)
{
	struct stat st;
	char text[32];
	ssize_t n = REAL(readlinkat)(dir, BELOW(path), buf, size);
	const char *last = strrchr(path, '/');

	if (n >= 0 || errno != EINVAL || fstatat(dir, path, &st, 0))
		return n;
	n = snprintf(text, sizeof(text), "%s:[%lld]", last ? last + 1 : path, (long long)st.st_size);
	memcpy(buf, text, (size_t)n < size ? (size_t)n : size);
	return (size_t)n < size ? n : (ssize_t)size;
}

static int magic(int err, int fd, struct statfs *st)
{
	char path[PATH_MAX];

	if (!err && fake_root && fake_path_of(fd, path, sizeof(path))) {
		st->f_type = 0;
		if (str_starts(path, "/sys/fs/bpf"))
			st->f_type = BPF_FS_MAGIC;
		if (str_starts(path, "/sys/fs/cgroup"))
			st->f_type = CGROUP2_SUPER_MAGIC;
	}
	return err;
}

int fstatfs(int fd, struct statfs *st)
{
	return magic(REAL64(fstatfs)(fd, st), fd, st);
}

int statfs(const char *path, struct statfs *st)
{
	int err = REAL64(statfs)(BELOW(path), st);
	CLEAN_FD fd = err ? -1 : open(path, O_PATH | O_CLOEXEC);

	return magic(err, fd, st);
}

/* The root has number 1. */
static int cgroup_number_of(const char *path)
{
	snprintf(kernel->cgroup[0], sizeof(kernel->cgroup[0]), "/sys/fs/cgroup");
	for (int i = 0; i < (int)ARRAY_SIZE(kernel->cgroup); i++) {
		if (!kernel->cgroup[i][0])
			snprintf(kernel->cgroup[i], sizeof(kernel->cgroup[i]), "%s", path);
		if (!strcmp(kernel->cgroup[i], path))
			return i + 1;
	}
	return 0;
}

uint64_t fake_cgroup(int fd)
{
	char path[256];

	return fake_path_of(fd, path, sizeof(path)) && str_starts(path, "/sys/fs/cgroup") ?
		       (uint64_t)cgroup_number_of(path) :
		       0;
}

int name_to_handle_at(int dir, const char *name, struct file_handle *h, int *mount, int flags)
{
	CLEAN_FD fd = openat(dir, *name ? name : ".", O_PATH | O_CLOEXEC);
	uint64_t id = fd < 0 ? 0 : fake_cgroup(fd);

	if (!id) {
		errno = EOPNOTSUPP;
		return -1;
	}
	memcpy(h->f_handle, &id, sizeof(id));
	return 0;
}

int open_by_handle_at(int mount, struct file_handle *h, int flags)
{
	uint64_t id;

	memcpy(&id, h->f_handle, sizeof(id));
	if (id && id <= ARRAY_SIZE(kernel->cgroup) && kernel->cgroup[id - 1][0])
		return open(kernel->cgroup[id - 1], flags);
	errno = ESTALE;
	return -1;
}

/* Time passes only while the process waits in poll(2), which then does not wait: outputs do not depend on the machine.
 */
static uint64_t waited_ns;

int clock_gettime(clockid_t id, struct timespec *ret)
{
	if (getenv("CLOCK") && (id != CLOCK_MONOTONIC || !strcmp(getenv("CLOCK"), "all")))
		return REAL(clock_gettime)(id, ret);
	ret->tv_sec = (id == CLOCK_REALTIME ? 1800000000 : 100000) + (time_t)(waited_ns / 1000000000);
	ret->tv_nsec = (long)(waited_ns % 1000000000);
	return 0;
}

int poll(struct pollfd *p, nfds_t n, int ms)
{
	const bool waits = getenv("CLOCK");
	int ready = REAL(poll)(p, n, ms > 0 && !waits ? 0 : ms);

	if (!ready && ms > 0)
		waited_ns += (uint64_t)ms * 1000000;
	return ready;
}

/* The process that proc/self is. */
pid_t getpid(void)
{
	const char *pid = getenv("PID");

	return pid ? atoi(pid) : 50;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *ret)
{
	CPU_ZERO_S(size, ret);
	for (size_t i = 0; i < CPUS; i++)
		CPU_SET_S(i, size, ret);
	return 0;
}

int sysinfo(struct sysinfo *ret)
{
	*ret = (struct sysinfo){ .procs = 2 };
	return 0;
}

int uname(struct utsname *u)
{
	*u = (struct utsname){ "Linux", "fake", "6.12.0", "#1 SMP", "x86_64", "" };
	return 0;
}

int cap_get_flag(cap_t set, cap_value_t cap, cap_flag_t flag, cap_flag_value_t *ret)
{
	*ret = getenv("NO_CAPS") ? CAP_CLEAR : CAP_SET;
	return 0;
}
