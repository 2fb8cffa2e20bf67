/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/tracefs.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "host/proc.h"

#define EVENTS "available_events"
#define EVENTS_MAX (16u << 20)
#define FORMAT_MAX (1u << 20)

/* <linux/mount.h> conflicts with <sys/mount.h> in some C libraries. */
enum { FSOPEN_CLOSE_ON_EXEC = 1, FSCONFIG_CREATE = 6, MOUNT_CLOSE_ON_EXEC = 1, MOUNT_READ_ONLY = 1 };

static int open_unseen(void)
{
	CLEAN_FD fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOSE_ON_EXEC);
	int fd;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, fs, MOUNT_CLOSE_ON_EXEC, MOUNT_READ_ONLY);
	return fd < 0 ? -errno : fd;
}

/*
 * The root of tracefs: where it is mounted, on its own or in debugfs; else an instance without a mount point that ends
 * with its descriptor, so that nothing is mounted for other processes. That needs CAP_SYS_ADMIN. A kernel that is
 * locked down makes no files in it: -EPERM.
 */
static int tracefs_open(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	CLEAN_FD root = -1;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		CLEAN_FD fd = open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && !faccessat(fd, EVENTS, R_OK, 0))
			return TAKE_FD(fd);
	}
	root = open_unseen();
	if (root >= 0 && faccessat(root, EVENTS, F_OK, 0) && errno == ENOENT)
		return -EPERM;
	return TAKE_FD(root);
}

static int read_events(int root, struct str *ret)
{
	CLEAN_FD fd = openat(root, EVENTS, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : str_read_fd(ret, fd, EVENTS_MAX);
}

int tracefs_pipe(void)
{
	CLEAN_FD root = tracefs_open();
	int fd = root < 0 ? root : openat(root, "trace_pipe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 && root >= 0 ? -errno : fd;
}

int tracefs_events(struct str *ret)
{
	CLEAN_FD root = tracefs_open();

	return root < 0 ? root : read_events(root, ret);
}

static int find_category(int root, const char *name, char *ret, size_t size)
{
	STR all = { 0 };
	int err = read_events(root, &all), found = 0;

	if (err)
		return err;
	for (char *line = all.p, *next; line && *line; line = next) {
		char *colon = strchr(line, ':');

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!colon || strcmp(colon + 1, name) != 0)
			continue;
		if (found++)
			return -ENOTUNIQ;
		snprintf(ret, size, "%.*s", (int)(colon - line), line);
	}
	return found ? 0 : -ENOENT;
}

/* The path of a file of the tracepoint below @root. */
static int event_path(int root, const char *category, const char *name, const char *file, char *ret, size_t size)
{
	char found[128];
	int err;

	/* Names are used as file names: they must not lead elsewhere. */
	if (strchr(name, '/') || !*name || (category && (strchr(category, '/') || *category == '.')))
		return -ENOENT;
	err = category ? 0 : find_category(root, name, found, sizeof(found));
	if (!err)
		snprintf(ret, size, "events/%s/%s/%s", category ? category : found, name, file);
	return err;
}

int tracefs_event_id(const char *category, const char *name, uint32_t *ret)
{
	CLEAN_FD root = tracefs_open();
	char path[512], text[32];
	int err = root < 0 ? root : event_path(root, category, name, "id", path, sizeof(path));

	err = err ? err : proc_small(root, path, text, sizeof(text));
	if (err)
		return err;
	text[strcspn(text, "\n")] = '\0';
	return num_parse_u32(text, ret) ? -EBADMSG : 0;
}

int tracefs_event_format(const char *category, const char *name, struct str *ret)
{
	CLEAN_FD root = tracefs_open(), fd = -1;
	char path[512];
	int err = root < 0 ? root : event_path(root, category, name, "format", path, sizeof(path));

	if (err)
		return err;
	fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : str_read_fd(ret, fd, FORMAT_MAX);
}

bool tracefs_event_is_probe(const char *category, const char *name)
{
	STR text = { 0 };

	return !tracefs_event_format(category, name, &text) && text.p && strstr(text.p, " __probe_");
}
