/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in pins_collect.c and pins_open.c. */

#include "host/holders.h"

/* Pins in bpffs: finding, creating and removing them. */

/*
 * Live, for sys/pins and pin/PATH: see source.h. Includes pins of other mount namespaces, each file system once: their
 * paths lead through a process in that namespace, /proc/PID/root/sys/fs/bpf/x, and can be used like any other. If it
 * ends meanwhile, the pins are read through another process in the namespace.
 */
typedef void pins_found(void *ctx, enum object_kind kind, uint32_t id, const char *path);
int pins_collect(struct str *ret, pins_found *found, void *ctx); /* @found is called for each pin; NULL: not */
bool pins_are_mounted(void);					 /* is there a bpffs in our mount namespace? */
/*
 * Open a pin: a descriptor with the kind and id of its object, or -errno. -EMEDIUMTYPE: pinned, but not a prog, map or
 * link; -EXDEV: not on a bpffs; -EISDIR: a directory on one. Needs only the permissions of the file's mode: maps are
 * opened read-only, with @write read-write, and write-only if the mode allows nothing else.
 */
int pins_open(const char *path, bool write, enum object_kind *kind, uint32_t *id);
int pins_read(const char *path, enum object_kind *kind, uint32_t *id); /* the same, and close it: 0 or -errno */
/* Set the message for such an errno; returns it. */
int pins_explain(const char *path, int err, struct err *e);

/*
 * Pin a descriptor. The parent directory must be on a bpffs. If it is /sys/fs/bpf, empty, and nothing is mounted there,
 * a bpffs is mounted (mode 0700) unless @nomount. Any other directory is an error with a hint that names the command to
 * run. 0, or -EEXIST, -ENOENT (no such directory), -EPERM or another -errno with a message; on failure nothing is left.
 */
int pins_pin(int fd, const char *path, bool nomount, struct err *e);
/* Make the same checks, and mount a bpffs if needed; *ret: it was mounted, and pins_unmount() removes it. */
int pins_mount(const char *path, bool nomount, bool *ret, struct err *e);
void pins_unmount(void);
/* Make the same checks without pinning or mounting: 0 if no obstacle is known. */
int pins_may_pin(const char *path, bool nomount, struct err *e);
/*
 * Is there a pin of *kind, or of any kind if that is OBJECT_KINDS? Sets both results; -errno with a message if it is
 * not on a bpffs or is not such a pin.
 */
int pins_check(const char *path, enum object_kind *kind, uint32_t *ret_id, struct err *e);
/* Remove a pin after the same check. */
int pins_unpin(const char *path, enum object_kind kind, struct err *e);

/*
 * Replace what is pinned at a path atomically: first pin a descriptor beside it, at PATH~ with the mode and owner of
 * the pin, in place of a pin that an interrupted command left there; then rename that to PATH, or remove it again.
 */
#define PINS_NEW_SUFFIX "~"
int pins_pin_new(int fd, const char *path, struct err *e);
int pins_rename_new(const char *path, struct err *e);
void pins_remove_new(const char *path);
static inline bool pins_is_new(const char *path)
{
	return *path && !strcmp(path + strlen(path) - 1, PINS_NEW_SUFFIX);
}
/* Wait until no other process has locked the directory of a path, and lock it: a descriptor that holds the lock. */
int pins_lock(const char *path, struct err *e);
