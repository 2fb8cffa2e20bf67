/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects: ids, descriptors, pins, infos, and the end of an object. A descriptor is a locked file; the lock lasts as
 * long as any process has it open.
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include "base/bytes.h"
#include "events/bpf_cmd.h"
#include "host/proc.h"
#include "fake.h"

#define PINS "/sys/fs/bpf"

struct kernel *kernel;

static __attribute__((constructor)) void fake_start(void)
{
	const char *dir = getenv("FAKE");
	pthread_mutexattr_t a;
	char path[PATH_MAX];
	int fd;

	if (!dir)
		errx(125, "FAKE is not set: the directory with proc, sys and objects");
	snprintf(path, sizeof(path), "%s/kernel", dir);
	fd = real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*kernel)))
		err(125, "%s", path);
	kernel = mmap(NULL, sizeof(*kernel), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (kernel == MAP_FAILED)
		err(125, "%s", path);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (!kernel->ready)
		pthread_mutex_init(&kernel->lock, &a);
	kernel->ready = true;
	fake_root = dir;
	if (getenv("PID"))
		announce_task(50);
}

static int slot_of(const struct object *o)
{
	return (int)(o - kernel->objects);
}

static const char *file_name(const struct object *o, char buf[PATH_MAX])
{
	snprintf(buf, PATH_MAX, "%s/objects/%d", fake_root, slot_of(o));
	return buf;
}

int object_file(const struct object *o)
{
	char path[PATH_MAX];

	return real_open(file_name(o, path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

/*
 * The text that /proc has about a descriptor. Who has the file open reads what is true of the descriptor with that
 * number now, so a file that exists is written again for each new descriptor.
 */
void fdinfo_write(const struct object *o, int fd, bool make)
{
	static const char *const link_types[] = {
		"",	      "raw_tracepoint", "tracing",    "cgroup",	   "iter", "netns",	   "xdp",
		"perf_event", "kprobe_multi",	"struct_ops", "netfilter", "tcx",  "uprobe_multi", "netkit",
		"sockmap",
	};
	CLEAN_FILE f = NULL;
	char path[PATH_MAX];
	int file;

	snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fd);
	file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | (make ? O_CREAT : 0), 0600);
	if (file < 0)
		return;
	f = fdopen(file, "w");
	fprintf(f, "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t2\n");
	if (o->kind == OBJECT_PROG)
		fprintf(f, "prog_type:\t%u\nprog_jited:\t0\nprog_tag:\t%016llx\nmemlock:\t%u\nprog_id:\t%u\n",
			o->info.prog.type, (unsigned long long)load_uint(o->info.prog.tag, 8, true), 4096, o->id);
	if (o->kind == OBJECT_MAP)
		fprintf(f,
			"map_type:\t%u\nkey_size:\t%u\nvalue_size:\t%u\nmax_entries:\t%u\nmap_flags:\t%#x\nmemlock:\t%llu\nmap_id:\t%u\nfrozen:\t%d\n",
			o->info.map.type, o->info.map.key_size, o->info.map.value_size, o->info.map.max_entries,
			o->info.map.map_flags,
			((unsigned long long)o->info.map.max_entries * (o->info.map.key_size + o->info.map.value_size) +
			 4095) & ~4095ull,
			o->id, o->frozen);
	if (o->kind == OBJECT_LINK)
		fprintf(f, "link_type:\t%s\nlink_id:\t%u\nprog_id:\t%u\n", link_types[o->info.link.type], o->id,
			o->info.link.prog_id);
	if (o->kind == OBJECT_BTF)
		fprintf(f, "btf_id:\t%u\n", o->id);
}

int object_fd(struct object *o, int flags)
{
	char path[PATH_MAX];
	int fd = real_open(file_name(o, path), flags | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	flock(fd, LOCK_SH);
	fdinfo_write(o, fd, false);
	return fd;
}

static struct object *slot_named(const char *name, uint32_t kind)
{
	char *end;
	unsigned long i = strtoul(name, &end, 10);

	return *end || i >= OBJECTS || !kernel->objects[i].used ||
			       (kind < OBJECT_KINDS && kernel->objects[i].kind != kind) ?
		       NULL :
		       &kernel->objects[i];
}

struct object *object_of(int fd, unsigned kind, int *ret)
{
	char path[PATH_MAX];
	struct object *o = NULL;

	*ret = fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
	if (!*ret || !fake_path_of(fd, path, sizeof(path)) || !str_starts(path, "/objects/"))
		return NULL;
	o = slot_named(path + strlen("/objects/"), UINT_MAX);
	return o && (kind == UINT_MAX || o->kind == kind) ? o : NULL;
}

struct object *object_by_id(unsigned kind, uint32_t id)
{
	for (int i = 0; i < OBJECTS; i++)
		if (kernel->objects[i].used && kernel->objects[i].kind == kind && kernel->objects[i].id == id)
			return &kernel->objects[i];
	return NULL;
}

void object_hold(struct object *o, const struct object *held)
{
	for (uint32_t i = 0; i < o->nholds; i++)
		if (o->holds[i] == (uint32_t)slot_of(held))
			return;
	if (o->nholds == HOLDS)
		FAKE_ABORT();
	o->holds[o->nholds++] = (uint32_t)slot_of(held);
}

static int slots_used(void)
{
	int n = 0;

	for (int i = 0; i < OBJECTS; i++)
		n += kernel->objects[i].used;
	return n;
}

/* The lowest id that no object of the kind has; with $CLOCK, one that none had. */
int object_new(unsigned kind, struct object **ret)
{
	const bool again = !getenv("CLOCK");
	uint32_t id = again ? 1 : kernel->last_id[kind] + 1;

	if (again || slots_used() == OBJECTS)
		object_collect();
	while (object_by_id(kind, id))
		id++;
	kernel->last_id[kind] = id > kernel->last_id[kind] ? id : kernel->last_id[kind];
	for (int i = 0; i < OBJECTS; i++) {
		struct object *o = &kernel->objects[i];

		if (o->used)
			continue;
		*o = (struct object){ .used = true, .kind = (uint8_t)kind, .id = id };
		*ret = o;
		return 0;
	}
	return -ENOSPC;
}

#define VMLINUX "/sys/kernel/btf/vmlinux"

/* The kernel's own types are an object, if the machine has them. */
static void vmlinux_make(void)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct object *o;
	struct stat st;

	if (kernel->vmlinux || stat(VMLINUX, &st) || object_new(OBJECT_BTF, &o))
		return;
	unlink(file_name(o, path));
	snprintf(target, sizeof(target), "%s" VMLINUX, fake_root);
	if (link(target, path))
		FAKE_ABORT();
	o->info.btf =
		(struct abi_btf_info){ .btf_size = (uint32_t)st.st_size, .id = o->id, .name_len = 7, .kernel_btf = 1 };
	o->info_len = sizeof(o->info.btf);
	snprintf(o->name, sizeof(o->name), "vmlinux");
	kernel->vmlinux = (uint32_t)slot_of(o) + 1;
}

bool object_is_open(const struct object *o)
{
	CLEAN_FD fd = object_file(o);

	return flock(fd, LOCK_EX | LOCK_NB) < 0;
}

static void mark(struct object *o)
{
	if (o->live)
		return;
	o->live = true;
	for (uint32_t i = 0; i < o->nholds; i++)
		mark(&kernel->objects[o->holds[i]]);
}

/* A pin is a file with the slot of its object. */
static struct object *pinned(int dir, const char *name)
{
	CLEAN_FD fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[16] = { 0 };

	return fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ? NULL : slot_named(text, UINT_MAX);
}

static void mark_pins(int fd)
{
	CLEAN_DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			mark_pins(openat(dirfd(dir), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		if (d->d_type == DT_REG && pinned(dirfd(dir), d->d_name))
			mark(pinned(dirfd(dir), d->d_name));
	}
}

void object_collect(void)
{
	char path[PATH_MAX];

	for (int i = 0; i < OBJECTS; i++)
		kernel->objects[i].live = false;
	for (int i = 0; i < OBJECTS; i++)
		if (kernel->objects[i].used && object_is_open(&kernel->objects[i]))
			mark(&kernel->objects[i]);
	for (size_t i = 0; i < ARRAY_SIZE(kernel->attached); i++)
		if (kernel->attached[i].used)
			mark(&kernel->objects[kernel->attached[i].prog]);
	for (size_t i = 0; i < ARRAY_SIZE(kernel->filter); i++)
		if (kernel->filter[i].used)
			mark(&kernel->objects[kernel->filter[i].prog]);
	for (int i = 0; i < OBJECTS; i++)
		if (kernel->objects[i].used && kernel->objects[i].registered)
			mark(&kernel->objects[i]);
	if (kernel->vmlinux)
		mark(&kernel->objects[kernel->vmlinux - 1]);
	mark_pins(open(PINS, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	for (int i = 0; i < OBJECTS; i++)
		if (kernel->objects[i].used && !kernel->objects[i].live) {
			if (kernel->objects[i].kind == OBJECT_PROG)
				announce_prog(&kernel->objects[i], true);
			kernel->objects[i].used = false;
			unlink(file_name(&kernel->objects[i], path));
		}
}

static int next_id(unsigned kind, union bpf_attr *attr)
{
	uint32_t next = UINT32_MAX;

	if (!attr->start_id) /* once for a walk */
		object_collect();
	for (int i = 0; i < OBJECTS; i++) {
		const struct object *o = &kernel->objects[i];

		if (o->used && o->kind == kind && o->id > attr->start_id && o->id < next)
			next = o->id;
	}
	if (next == UINT32_MAX)
		return -ENOENT;
	attr->next_id = next;
	return 0;
}

static int mode_of(uint32_t flags)
{
	return flags & BPF_F_RDONLY ? O_RDONLY : flags & BPF_F_WRONLY ? O_WRONLY : O_RDWR;
}

static int fd_by_id(unsigned kind, const union bpf_attr *attr)
{
	struct object *o;

	object_collect();
	o = object_by_id(kind, attr->start_id);
	if (kind != OBJECT_MAP && attr->open_flags)
		return -EINVAL;
	return o ? object_fd(o, mode_of(attr->open_flags)) : -ENOENT;
}

static int pin(const union bpf_attr *attr)
{
	const char *path = (const char *)(uintptr_t)attr->pathname, *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	CLEAN_FD at = -1;
	CLEAN_FD fd = -1;
	struct statfs fs;
	int err;
	const struct object *o = object_of((int)attr->bpf_fd, UINT_MAX, &err);

	if (!o || o->kind > OBJECT_LINK)
		return err;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return -errno;
	if (fstatfs(at, &fs) || fs.f_type != BPF_FS_MAGIC)
		return -EPERM;
	fd = openat(at, slash ? slash + 1 : path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	return dprintf(fd, "%d", slot_of(o)) < 0 ? -errno : 0;
}

static int pin_get(const union bpf_attr *attr)
{
	const char *path = (const char *)(uintptr_t)attr->pathname;
	struct object *o;
	struct statfs fs;

	if (access(path, F_OK))
		return -errno;
	if (statfs(path, &fs) || fs.f_type != BPF_FS_MAGIC)
		return -EACCES;
	o = pinned(AT_FDCWD, path);
	if (!o)
		return -EACCES;
	if (o->kind == OBJECT_LINK && attr->file_flags)
		return -EINVAL;
	return object_fd(o, mode_of(attr->file_flags));
}

int object_command(unsigned cmd, union bpf_attr *attr)
{
	switch (cmd) {
	case BPF_PROG_GET_NEXT_ID:
		return next_id(OBJECT_PROG, attr);
	case BPF_MAP_GET_NEXT_ID:
		return next_id(OBJECT_MAP, attr);
	case BPF_BTF_GET_NEXT_ID:
		return next_id(OBJECT_BTF, attr);
	case ABI_LINK_GET_NEXT_ID:
		return next_id(OBJECT_LINK, attr);
	case BPF_PROG_GET_FD_BY_ID:
		return fd_by_id(OBJECT_PROG, attr);
	case BPF_MAP_GET_FD_BY_ID:
		return fd_by_id(OBJECT_MAP, attr);
	case BPF_BTF_GET_FD_BY_ID:
		return fd_by_id(OBJECT_BTF, attr);
	case ABI_LINK_GET_FD_BY_ID:
		return fd_by_id(OBJECT_LINK, attr);
	case BPF_OBJ_PIN:
		return pin(attr);
	case BPF_OBJ_GET:
		return pin_get(attr);
	case BPF_OBJ_GET_INFO_BY_FD:
		return object_info(attr);
	default:
		return -ENOSYS;
	}
}

static int errno_named(const char *name)
{
	for (int i = 1; i < 600; i++)
		if (!strcmp(err_name(i), name))
			return i;
	errx(125, "FAIL: there is no errno %s", name);
}

static unsigned command_named(const char *word)
{
	for (unsigned i = 0; i < attr_ncommands; i++)
		if (!strcasecmp(attr_commands[i].word, word))
			return i;
	errx(125, "FAIL: bpf(2) has no command %s", word);
}

/* $FAIL: is this call the one that fails? */
static int refused(unsigned cmd, const union bpf_attr *attr)
{
	static unsigned calls;
	const char *fail = getenv("FAIL"), *made = cmd == BPF_PROG_LOAD	 ? attr->prog_name :
						   cmd == BPF_MAP_CREATE ? attr->map_name :
									   "";
	char word[40], name[20], which[80] = "";

	if (!fail)
		return 0;
	if (sscanf(fail, "%39s %19s %79s", word, name, which) < 2)
		errx(125, "FAIL: COMMAND ERRNO [N|NAME]");
	if (command_named(word) != cmd)
		return 0;
	if (which[0] &&
	    (isdigit((unsigned char)which[0]) ? ++calls != strtoul(which, NULL, 10) : !*made || !strstr(which, made)))
		return 0;
	return -errno_named(name);
}

static int bpf(unsigned cmd, union bpf_attr *user, size_t size)
{
	static int (*const commands[])(unsigned, union bpf_attr *) = { object_command, map_command, prog_command,
								       attach_command, link_command };
	union {
		union bpf_attr attr;
		char bytes[512];
	} all = { 0 };
	const uint64_t begin = fake_now();
	int ret;

	if (size > sizeof(all))
		return -E2BIG;
	memcpy(&all, user, size);
	vmlinux_make();
	ret = refused(cmd, &all.attr);
	/* The kernel says first that it has read none, and then reads. */
	if (ret && cmd == BPF_MAP_LOOKUP_BATCH)
		user->batch.count = 0;
	if (ret)
		return cmd == BPF_PROG_LOAD ? verifier_says(&all.attr, ret) : ret;
	ret = -ENOSYS;
	for (size_t i = 0; i < ARRAY_SIZE(commands) && ret == -ENOSYS; i++)
		ret = commands[i](cmd, &all.attr);
	memcpy(user, &all, size);
	ret = ret == -ENOSYS ? -EINVAL : ret;
	calls_report(cmd, &all.attr, size, ret, begin);
	return ret;
}

/* The kernel of a test has no other numbers than these. */
long syscall(long nr, ...)
{
	long a[6], ret;
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (fake_root && nr == SYS_fsopen) { /* there is no tracefs but the one that is mounted */
		errno = ENODEV;
		return -1;
	}
	if (!fake_root || (nr != SYS_bpf && nr != SYS_perf_event_open))
		return real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (pthread_mutex_lock(&kernel->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&kernel->lock);
	ret = nr == SYS_bpf ? bpf((unsigned)a[0], (union bpf_attr *)a[1], (size_t)a[2]) :
			      fake_perf_open((void *)a[0], (int)a[1], (int)a[2]);
	pthread_mutex_unlock(&kernel->lock);
	if (ret < 0)
		errno = (int)-ret;
	return ret < 0 ? -1 : ret;
}
