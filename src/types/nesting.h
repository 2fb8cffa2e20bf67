/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct btf_types;
struct err;
/*
 * The C writer and libbpf's deduplication follow types by recursion: a const of itself would overflow the stack, and 32
 * structs that contain each other twice would take forever. This checks before they begin that every type can be
 * written: there is no cycle except through a pointer to a named struct, at most NESTING_DEPTH types are nested, there
 * are at most NESTING_SIZE members, pads and enumerators with those of nested types counted each time, and every member
 * has a size and is inside its struct. -ELOOP, -E2BIG, -EINVAL; -EOPNOTSUPP if the BTF ends before a kind that is not
 * known.
 */
#define NESTING_DEPTH 256u
#define NESTING_SIZE (1u << 20)
int nesting_check(const struct btf_types *t, struct err *e);
