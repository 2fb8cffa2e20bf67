/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/task.bpf.h"

/* The entry of close(2): another thread may close the program before the load returns. It is still there now. */
const volatile __u32 nr_close;

SEC("raw_tp/sys_enter") int capture_close(const __u64 *ctx)
{
	const char *regs = (const char *)ctx[0], *file, *prog;
	struct call c = { 0 };
	struct fds fds;

	if (!regs) { /* as in capture_exit.bpf.c */
		fds = fds_mine();
		state.prog_fops = file_operations(file_of(&fds, ctx[1]));
		return 0;
	}
	if ((__u32)ctx[1] != nr_close || call_is_compat())
		return 0;
	call_args(regs, 0, &c);
	fds = fds_mine();
	file = file_of(&fds, c.arg[0]);
	prog = prog_of(file);
	if (prog)
		copy((__u64)prog, CAPTURE_CLOSED);
	return 0;
}
