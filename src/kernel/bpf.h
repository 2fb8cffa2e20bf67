/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "kernel/object.h"

union bpf_attr;
/* bpf(2), for what libbpf 1.1 lacks or checks too strictly. All return a value >= 0 or -errno; descriptors are
 * close-on-exec. */
int sys_bpf(int cmd, union bpf_attr *attr, size_t size);
/*
 * The same for commands that create an object. Before 5.11 its memory counts against RLIMIT_MEMLOCK, often only 64 KiB
 * even for root; the limit is lifted during the call.
 */
int sys_bpf_new(int cmd, union bpf_attr *attr, size_t size);
int sys_token_create(int bpffs); /* a descriptor, or -errno; -EINVAL: before Linux 6.9; -EPERM, -EOPNOTSUPP */
int sys_object_next_id(enum object_kind kind, uint32_t start, uint32_t *next); /* -ENOENT: the end */
int sys_object_open(enum object_kind kind, uint32_t id); /* maps: read-only, if the kernel supports that */
int sys_object_open_rw(enum object_kind kind, uint32_t id);
int sys_object_info(int fd, void *info, uint32_t *len); /* BPF_OBJ_GET_INFO_BY_FD; *len in and out */
/*
 * The kind of object that a descriptor refers to, from /proc/self/fd: an object_kind, or -EMEDIUMTYPE for another file.
 */
int sys_object_kind(int fd);
/*
 * BPF_PROG_STREAM_READ_BY_FD (6.17): take what a program wrote to its stream 1 (stdout) or 2 (stderr); it can be read
 * only once. Number of bytes, 0 at the end, or -errno.
 */
int sys_prog_stream(int fd, uint32_t stream, void *buf, uint32_t n);
/* A descriptor: while it is open, the kernel counts runs of programs and their time (5.8). */
int sys_stats_enable(void);
/* The id of a program, map or link: 0 or -errno. */
int sys_object_id(int fd, uint32_t *ret);
/*
 * The number of bpf(2) for 32-bit programs on x86-64. On other machines these calls are not watched: no call has this
 * number.
 */
#ifdef __x86_64__
#define SYS_BPF_COMPAT 357u
#else
#define SYS_BPF_COMPAT UINT32_MAX
#endif

/* Does the process have memory at that address, or in the pages after it? */
bool sys_mapped(uint64_t at, uint32_t pages);
