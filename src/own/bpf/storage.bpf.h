/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* For the *.bpf.c files: write the record of a value for storage_read(). */
#include "own/bpf/program.bpf.h"
#include "own/storage.h"

const volatile __u32 size; /* bytes of a value */

static __always_inline int storage_tell(const struct iter_meta *meta, struct storage_owner *o, void *value)
{
	bpf_seq_write(meta->seq, o, sizeof(*o));
	bpf_seq_write(meta->seq, value, size);
	return 0;
}
