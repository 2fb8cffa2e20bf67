/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* For the ids_*.bpf.c files: each writes the id of an object; 0: the object has lost its id. */
#include "own/bpf/program.bpf.h"

static __always_inline void tell_id(struct iter_meta *meta, __u32 id)
{
	if (id)
		bpf_seq_write(meta->seq, &id, sizeof(id));
}
