/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CHILD_H
#define OWN_CHILD_H

#include <stddef.h>

union bpf_attr;
/*
 * BPF_PROG_LOAD by a child process, for a kernel may put whoever loads a program to sleep for good. The child keeps
 * nothing of ours open but @keep: so whoever reads our output sees its end even if the child never ends. A descriptor,
 * or -errno; -ETIME: no answer in @limit milliseconds, then the child is on its own.
 */
int child_prog_load(union bpf_attr *attr, size_t size, const int *keep, size_t n, int limit);
/* Close all descriptors of this process but these. */
void child_close_others(const int *keep, size_t n);

#endif
