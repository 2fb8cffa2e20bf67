/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/task_fds.h"

#include "own/own.h"

#include "own/bpf/task_fds.bpf.inc"
static const struct own_program program = OWN_PROGRAM(task_fds);

int task_fds_candidates(struct own *own, struct str *ret)
{
	return own_iter(own, &program, NULL, -1, NULL, ret);
}
