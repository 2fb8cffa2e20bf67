/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/capture/call.bpf.h"
#include "own/capture/copy.bpf.h"

/* For the *.bpf.c files that watch the system calls that load programs. */
OFFSET(bpf_link, prog);

/* The program of a descriptor of a program or link; 0: another file. */
static __always_inline const char *prog_of(const char *file)
{
	const __u64 f_op = file ? file_operations(file) : 0;
	const char *p = 0;

	if (!f_op || (f_op != state.prog_fops && f_op != state.link_fops))
		return 0;
	PROBE(p, file, file, private_data);
	if (f_op == state.link_fops)
		PROBE(p, p, bpf_link, prog);
	return p;
}
