/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_HOLDERS_H
#define OWN_HOLDERS_H

#include <stdint.h>

struct str; struct own;

/* The kind of an entry for a process that could not be looked at, or not whole; its id is the errno. */
#define HOLDER_UNSEEN OBJECT_KINDS

struct holder_raw {			/* the answer to sys/holders: an array of these */
	uint32_t kind, id;		/* enum object_kind, or HOLDER_UNSEEN */
	uint32_t pid, pad;		/* thread group */
	uint64_t cookie;		/* bpf_cookie of a perf_event link, else 0 */
	char comm[16];			/* of the group leader; not terminated if full */
};

/* One pass of a task_file iterator over all descriptors: appends struct holder_raw. 0 or -errno, then @ret is as before. */
int holders_by_iterator(struct own *own, struct str *ret);

#endif
