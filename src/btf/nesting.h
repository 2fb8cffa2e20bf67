/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_NESTING_H
#define BTF_NESTING_H

struct btf_types; struct err;
/*
 * libbpf follows types by recursion, without looking where that ends: a const of itself runs until the stack is full, and
 * 32 structs that hold each other twice take for ever. Before BTF from anywhere is given to it, this says whether every
 * type can be written down: no cycle but through a pointer to a named struct, at most NESTING_DEPTH types inside each
 * other, at most NESTING_SIZE members, pads and enumerators once nested ones are counted each time, and every member has
 * a size and lies inside its struct. -ELOOP, -E2BIG, -EINVAL.
 */
#define NESTING_DEPTH 256u
#define NESTING_SIZE (1u << 20)
int nesting_check(const struct btf_types *t, struct err *e);

#endif
