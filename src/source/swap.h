/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SWAP_H
#define SOURCE_SWAP_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct asked;
struct source;
/*
 * Answers of a machine of the other byte order. The row of a question says which integers its answer has
 * (source/questions.h), and the archive turns them round before anybody reads them. What is memory of that machine
 * stays as it is, for only who knows its types can read it: keys and values of maps, pages, the value of a struct_ops
 * map, instructions (machine_is_big()); and BTF, which says its own byte order.
 */

/* For rows whose answers have more than equal records; @s is asked for what they depend on. Lengths and counts are not
 * trusted: where they are wrong, the rest stays as it is. */
typedef void swap_fn(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n);
swap_fn swap_info, swap_buf, swap_elems, swap_storage, swap_sockets, swap_pages, swap_queries, swap_task_fds,
	swap_samples, swap_netlink;

/* The whole answer. */
void swap_answer(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n);

#endif
