/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* How long to wait for a killed child: one that is asleep in the kernel does not even die of SIGKILL. */
#define CHILD_KILLED_MS 100

union bpf_attr;
/*
 * BPF_PROG_LOAD in a child process, because the kernel may never return from it. The child closes all our descriptors
 * except @keep, so the reader of our output sees its end even if the child never ends. Returns a descriptor or -errno;
 * -ETIME: no answer within @limit milliseconds, the child was killed.
 */
int child_prog_load(union bpf_attr *attr, size_t size, const int *keep, size_t n, int limit);
/* Close all descriptors of this process except @keep. */
void child_close_others(const int *keep, size_t n);
