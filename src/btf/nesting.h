/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_NESTING_H
#define BTF_NESTING_H

struct btf_types;
struct err;
/*
 * Writers of C, and libbpf's deduplication, follow types by recursion: a const of itself would run until the stack is
 * full, and 32 structs that hold each other twice would take for ever. Before they begin, this says whether every type
 * can be written down: no cycle but through a pointer to a named struct, at most NESTING_DEPTH types inside each other,
 * at most NESTING_SIZE members, pads and enumerators once nested ones are counted each time, and every member has a
 * size and lies inside its struct. -ELOOP, -E2BIG, -EINVAL (also for BTF that is cut before a kind that is not known).
 */
#define NESTING_DEPTH 256u
#define NESTING_SIZE (1u << 20)
int nesting_check(const struct btf_types *t, struct err *e);

#endif
