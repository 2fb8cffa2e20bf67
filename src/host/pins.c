/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "host/bpffs.h"
#include "host/caps.h"
#include "host/mountinfo.h"
#include "host/pins.h"
#include "host/proc.h"

#define BPFFS_HOME "/sys/fs/bpf"

bool pins_are_mounted(void)
{
	STR text = { 0 };

	return !str_read_file(&text, "/proc/self/mountinfo", MOUNTINFO_MAX) && text.p && strstr(text.p, " - bpf ");
}

/* A path split into the directory (opened, O_PATH) and the last name. */
struct pin_place {
	int dir;
	char *dir_path;	  /* "." if the path has none */
	const char *name; /* part of the path */
};

static void place_close(struct pin_place *p)
{
	clean_fd(&p->dir);
	free(p->dir_path);
}

#define PLACE __attribute__((cleanup(place_close))) struct pin_place

static int place_open(struct pin_place *p, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	int err;

	p->name = slash ? slash + 1 : path;
	if (!*p->name || !strcmp(p->name, ".") || !strcmp(p->name, ".."))
		return err_set(e, -EINVAL, "'%s' does not name a file", path);
	p->dir_path = slash ? strndup(path, n ? n : 1) : strdup(".");
	if (!p->dir_path)
		return err_sys(e, -ENOMEM, "%s", path);
	p->dir = open(p->dir_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->dir >= 0)
		return 0;
	err = -errno;
	if (err == -ENOENT) {
		err_set(e, err, "%s: there is no directory %s", path, p->dir_path);
		return err_hint(e, "create it first: mkdir -p %s", p->dir_path);
	}
	err_sys(e, err, "%s: cannot open the directory %s", path, p->dir_path);
	caps_explain(e);
	return err;
}

/*
 * The path through the open directory, so that the place that was checked is used even if directories are renamed
 * meanwhile. Without /proc, the path as given.
 */
static const char *place_path(const struct pin_place *p, const char *path, struct str *buf)
{
	str_fmt(buf, "/proc/self/fd/%d", p->dir);
	if (access(buf->p, F_OK))
		return path;
	str_fmt(buf, "/%s", p->name);
	return buf->p;
}

/* We refuse it, not for lack of privilege, with the errno that the kernel would return. */
static int refuse(struct err *e, const char *path, const char *why)
{
	int err = err_set(e, -EPERM, "%s: %s", path, why);

	if (e)
		e->status = EXIT_FAILED;
	return err;
}

static bool is_empty(const char *path)
{
	CLEAN_DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			return false;
	return dir;
}

/* May a bpffs be mounted in this directory, which is not on one? */
static int home_check(const struct pin_place *p, const char *path, bool nomount, struct err *e)
{
	CLEAN_PTR char *real = realpath(p->dir_path, NULL);
	bool home = real && !strcmp(real, BPFFS_HOME);

	if (home && !nomount && is_empty(real))
		return 0;
	refuse(e, path, "the directory is not on a bpffs");
	if (home && nomount)
		return err_hint(e, "mount one there (mount -t bpf bpf " BPFFS_HOME ") or omit --nomount");
	return err_hint(e, "pin below " BPFFS_HOME ", or mount one on an empty directory: mount -t bpf bpf DIR");
}

static int mount_home(const char *path, struct err *e)
{
	int err;

	if (!mount("bpf", BPFFS_HOME, "bpf", 0, "mode=0700"))
		return 0;
	err = err_sys(e, -errno, "%s: cannot mount a bpffs on " BPFFS_HOME, path);
	caps_explain(e);
	return err;
}

static int pin_failed(int err, const char *path, struct err *e)
{
	if (err == -EEXIST)
		return err_set(e, err, "%s: exists already", path);
	err_sys(e, err, "%s: cannot pin", path);
	if (err == -EACCES)
		return err_hint(e, "the modes of its directories must allow it: run it as their owner or as root");
	caps_explain(e);
	return err;
}

/* A free name in a directory that is on a bpffs, or can be (*ret_mount). */
static int pin_place(struct pin_place *p, const char *path, bool nomount, bool *ret_mount, struct err *e)
{
	struct stat st;
	int err = place_open(p, path, e);

	if (err)
		return err;
	if (!fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW))
		return pin_failed(-EEXIST, path, e);
	if (strchr(p->name, '.'))
		return refuse(e, path, "a name on a bpffs must not contain a dot");
	err = bpffs_check(p->dir);
	if (err && err != -EXDEV)
		return err_sys(e, err, "%s: cannot determine its file system", path);
	*ret_mount = err;
	return err ? home_check(p, path, nomount, e) : 0;
}

int pins_may_pin(const char *path, bool nomount, struct err *e)
{
	PLACE p = { .dir = -1 };
	bool missing;
	int err = pin_place(&p, path, nomount, &missing, e);

	if (err || !faccessat(AT_FDCWD, p.dir_path, W_OK | X_OK, AT_EACCESS))
		return err;
	return pin_failed(-errno, path, e);
}

/* As pin_place(), and mount a bpffs there if needed; *ret_made: it was mounted. */
static int place_make(struct pin_place *p, const char *path, bool nomount, bool *ret_made, struct err *e)
{
	bool missing;
	int err = pin_place(p, path, nomount, &missing, e);

	if (!err && missing)
		err = mount_home(path, e);
	if (!err)
		*ret_made = missing;
	return err;
}

int pins_mount(const char *path, bool nomount, bool *ret, struct err *e)
{
	PLACE p = { .dir = -1 };

	return place_make(&p, path, nomount, ret, e);
}

void pins_unmount(void)
{
	umount2(BPFFS_HOME, MNT_DETACH | UMOUNT_NOFOLLOW);
}

int pins_pin(int fd, const char *path, bool nomount, struct err *e)
{
	PLACE p = { .dir = -1 };
	STR there = { 0 };
	bool made;
	int err = place_make(&p, path, nomount, &made, e);

	if (err)
		return err;
	err = bpf_obj_pin(fd, made ? path : place_path(&p, path, &there));
	if (!err)
		return 0;
	if (made)
		pins_unmount();
	return pin_failed(err, path, e);
}

/* The place of a pin of that kind; OBJECT_KINDS: of any kind, which it returns. */
static int find_pin(struct pin_place *p, const char *path, enum object_kind *kind, uint32_t *ret_id, struct err *e)
{
	static const char *const nouns[OBJECT_KINDS] = { "program", "map", "link", "BTF object" };
	enum object_kind is = *kind;
	STR there = { 0 };
	struct stat st;
	int err = place_open(p, path, e);

	if (err)
		return err;
	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW))
		return pins_explain(path, -errno, e);
	/* A bpffs may be mounted on the directory; its parent is then on another file system. */
	err = S_ISDIR(st.st_mode) ? -EISDIR : bpffs_check(p->dir);
	if (!err)
		err = S_ISREG(st.st_mode) ? pins_read(place_path(p, path, &there), &is, ret_id) : -EMEDIUMTYPE;
	if (err)
		return pins_explain(path, err, e);
	if (*kind != OBJECT_KINDS && is != *kind)
		return err_set(e, -EMEDIUMTYPE, "%s: is a pinned %s, not a %s", path, nouns[is], nouns[*kind]);
	*kind = is;
	return 0;
}

int pins_check(const char *path, enum object_kind *kind, uint32_t *ret_id, struct err *e)
{
	PLACE p = { .dir = -1 };

	return find_pin(&p, path, kind, ret_id, e);
}

int pins_unpin(const char *path, enum object_kind kind, struct err *e)
{
	PLACE p = { .dir = -1 };
	uint32_t id;
	int err = find_pin(&p, path, &kind, &id, e);

	if (err)
		return err;
	if (!unlinkat(p.dir, p.name, 0))
		return 0;
	err = err_sys(e, -errno, "%s: cannot unpin", path);
	caps_explain(e);
	return err;
}

static void new_remove(const struct pin_place *p)
{
	STR name = { 0 };

	str_fmt(&name, "%s" PINS_NEW_SUFFIX, p->name);
	unlinkat(p->dir, name.p, 0);
}

int pins_pin_new(int fd, const char *path, struct err *e)
{
	PLACE p = { .dir = -1 };
	STR there = { 0 }, fresh = { 0 };
	struct stat st;
	int err = place_open(&p, path, e);

	if (err)
		return err;
	if (fstatat(p.dir, p.name, &st, AT_SYMLINK_NOFOLLOW))
		return pins_explain(path, -errno, e);
	new_remove(&p);
	str_fmt(&fresh, "%s" PINS_NEW_SUFFIX, place_path(&p, path, &there));
	err = bpf_obj_pin(fd, fresh.p);
	if (!err && (chown(fresh.p, st.st_uid, st.st_gid) || chmod(fresh.p, st.st_mode & 07777))) {
		err = -errno;
		new_remove(&p);
	}
	return err ? pin_failed(err, path, e) : 0;
}

int pins_rename_new(const char *path, struct err *e)
{
	PLACE p = { .dir = -1 };
	STR fresh = { 0 };
	int err = place_open(&p, path, e);

	if (err)
		return err;
	str_fmt(&fresh, "%s" PINS_NEW_SUFFIX, p.name);
	return renameat(p.dir, fresh.p, p.dir, p.name) ? pin_failed(-errno, path, e) : 0;
}

void pins_remove_new(const char *path)
{
	PLACE p = { .dir = -1 };

	if (!place_open(&p, path, NULL))
		new_remove(&p);
}

int pins_lock(const char *path, struct err *e)
{
	PLACE p = { .dir = -1 };
	CLEAN_FD fd = -1;
	int err = place_open(&p, path, e);

	if (err)
		return err;
	fd = open(p.dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		return err_sys(e, -errno, "%s: cannot lock the directory %s", path, p.dir_path);
	return TAKE_FD(fd);
}
