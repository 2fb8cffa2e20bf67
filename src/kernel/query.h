/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * BPF_PROG_QUERY: the programs attached to one hook of a cgroup, device, network namespace or map. An answer is kept
 * raw: a struct prog_query_head and then, without padding, an array of uint32_t[count] for each bit of @has, in the
 * order of the bits.
 */
enum prog_query_array { QUERY_PROGS, QUERY_PROG_FLAGS, QUERY_LINKS, QUERY_LINK_FLAGS, QUERY_ARRAYS };
struct prog_query_head {
	uint32_t attach_type, attach_flags;
	uint32_t count, has; /* 1 << enum prog_query_array */
	uint64_t revision;   /* 0: not reported by the kernel */
};

/* Memory, and what this kernel does not support, kept from one question to the next. Initialize with zeros. */
struct prog_query_room {
	uint32_t *v; /* QUERY_ARRAYS arrays of @size */
	uint32_t size;
	uint32_t refused; /* 1 << enum prog_query_array: not supported, so not requested again */
};
void prog_query_release(struct prog_query_room *r);

/*
 * Ask, and append the raw answer; one without programs only if @empty. @target is a descriptor or the index of an
 * interface. @want: the arrays to request in addition to the programs, 1 << enum prog_query_array; arrays that the
 * kernel does not support or does not fill are not in the answer. All programs are in it, however many there are. 0 or
 * -errno; EINVAL may also mean that the kernel does not know the hook.
 */
int prog_query_ask(struct prog_query_room *r, uint32_t target, uint32_t attach_type, uint32_t query_flags,
		   uint32_t want, bool empty, struct str *ret);

/* One answer, borrowed from the bytes that were parsed. */
struct prog_query {
	struct prog_query_head head;
	const unsigned char *array[QUERY_ARRAYS]; /* NULL: absent */
};
/*
 * The next answer at *p, with *n bytes left; advances both. 1: there is one; 0: the end; -EBADMSG: not an answer, or
 * incomplete.
 */
int prog_query_next(const unsigned char **p, size_t *n, struct prog_query *ret);
/* Element i < head.count of an array; 0 if the array is absent. */
uint32_t prog_query_at(const struct prog_query *q, enum prog_query_array a, uint32_t i);
