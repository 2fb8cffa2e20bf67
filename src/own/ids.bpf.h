/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_IDS_BPF_H
#define OWN_IDS_BPF_H

/* For the ids_*.bpf.c files: what each of them writes for an object is its number, 0: it has none any more. */
#include "own/program.bpf.h"

static __always_inline void tell_id(struct iter_meta *meta, __u32 id)
{
	if (id)
		bpf_seq_write(meta->seq, &id, sizeof(id));
}

#endif
