/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_QUERY_H
#define KERNEL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
/*
 * BPF_PROG_QUERY: which programs are attached to one hook of a cgroup, a device, a network namespace or a map. An
 * answer is kept raw: a struct prog_query_head and behind it, without padding, an array of uint32_t[count] for each bit
 * of @has, in the order of the bits.
 */
enum prog_query_array { QUERY_PROGS, QUERY_PROG_FLAGS, QUERY_LINKS, QUERY_LINK_FLAGS, QUERY_ARRAYS };
struct prog_query_head {
	uint32_t attach_type, attach_flags;
	uint32_t count, has; /* 1 << enum prog_query_array */
	uint64_t revision;   /* 0: the kernel does not tell */
};

/* Memory, and what this kernel turned out not to know, kept from one question to the next. Zeroed at first. */
struct prog_query_room {
	uint32_t *v; /* QUERY_ARRAYS times size */
	uint32_t size;
	uint32_t refused; /* 1 << enum prog_query_array: not to be asked for any more */
};
void prog_query_release(struct prog_query_room *r);

/*
 * Ask, and append the raw answer; one without a program only if @empty. @target is a descriptor or an interface's
 * index.
 * @want: the arrays to ask for beside the programs, 1 << enum prog_query_array; what the kernel is too old for, or
 * leaves as it was, is not in the answer. All programs are in it, however many there are. 0 or -errno: EINVAL is also a
 * hook that the kernel does not know.
 */
int prog_query_ask(struct prog_query_room *r, uint32_t target, uint32_t attach_type, uint32_t query_flags,
		   uint32_t want, bool empty, struct str *ret);

/* One answer, borrowed from the bytes it was read from. */
struct prog_query {
	struct prog_query_head head;
	const unsigned char *array[QUERY_ARRAYS]; /* NULL: not there */
};
/*
 * The next answer at *p, which has *n bytes left; moves both. 1: there is one; 0: the end; -EBADMSG: what follows is no
 * answer, or not all of it.
 */
int prog_query_next(const unsigned char **p, size_t *n, struct prog_query *ret);
/* Element i < head.count of an array; 0 if it is not there. */
uint32_t prog_query_at(const struct prog_query *q, enum prog_query_array a, uint32_t i);

#endif
