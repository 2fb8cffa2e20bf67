/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct asked;
struct source;
/*
 * Answers of a machine of the other byte order. The row of a question describes the integers in its answer
 * (source/questions.h), and the archive swaps them before they are returned. Memory of that machine is not swapped,
 * because that takes its types: keys and values of maps, pages, the value of a struct_ops map, instructions
 * (machine_is_big()). Nor is BTF, whose header shows its byte order.
 */

/*
 * For rows whose answers are not equal records; @s is asked for facts that the layout depends on. Lengths and counts
 * are not trusted: if they are wrong, the rest is unchanged.
 */
typedef void swap_fn(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n);
swap_fn swap_info, swap_buf, swap_elems, swap_storage, swap_sockets, swap_pages, swap_queries, swap_task_fds,
	swap_samples, swap_netlink;

/* Swaps the whole answer. */
void swap_answer(struct source *s, struct arena *a, const struct asked *q, unsigned char *p, size_t n);
