/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PINS_H
#define HOST_PINS_H

#include <stdbool.h>
#include "host/holders.h"

struct str;
struct err;
/* Pins in bpffs: where they are, and making and removing them. */

/*
 * Live, for sys/pins and pin/PATH: see source.h. Pins of other mount namespaces too, each file system once: their paths
 * lead through a process in them, /proc/PID/root/sys/fs/bpf/x, and can be used like any other.
 */
int pins_collect(struct str *ret);
bool pins_mounted(void); /* Is there a bpffs in our mount namespace? */
/* 0 or -errno; -EMEDIUMTYPE: pinned, but no prog, map or link; -EXDEV: not on a bpffs; -EISDIR: a directory there. */
int pins_read(const char *path, enum object_kind *kind, uint32_t *id);
/* The sentence for such an errno; returns it. */
int pins_explain(const char *path, int err, struct err *e);

/*
 * A descriptor of what is pinned there; >= 0 or -errno as in pins_read(). Needs no privilege beyond the file's mode.
 * Maps: the first gives one for reading only.
 */
int pins_open(const char *path);
int pins_open_rw(const char *path);

/*
 * Pin a descriptor. The parent directory must be on bpffs; if it is an existing empty directory meant for it,
 * /sys/fs/bpf itself and nothing is mounted there, bpffs is mounted (mode 0700) unless @nomount. Anything else fails
 * with a hint that says what to run. -EEXIST, -ENOENT (no such directory), -EPERM with sentences. Nothing is left
 * behind on failure.
 */
int pins_pin(int fd, const char *path, bool nomount, struct err *e);
/* The same checks, and the mount if there is none; *ret: it was made, and pins_unmount() takes it back. */
int pins_mount(const char *path, bool nomount, bool *ret, struct err *e);
void pins_unmount(void);
/* The same checks without pinning or mounting: 0 if nothing known stands against it. */
int pins_may_pin(const char *path, bool nomount, struct err *e);
/* Is there a pin of that kind? Refuses (with a sentence) what is not on bpffs or is no pin of @kind. */
int pins_check(const char *path, enum object_kind kind, uint32_t *ret_id, struct err *e);
/* Remove it, after the same check. */
int pins_unpin(const char *path, enum object_kind kind, struct err *e);

#endif
