/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_PATH_H
#define BTF_PATH_H

#include <stddef.h>
#include <stdint.h>

struct value_plan;
struct str;
struct err;
/* Where a path leads: a step, and the bytes that its offset counts from. */
struct path_end {
	uint32_t step;
	uint64_t base, room; /* byte of the value; bytes from there on */
};
/*
 * Follow "in.x", ".peers[1].port" or "" in values of @n bytes, up to the first character that belongs to no path, to
 * which *path is moved. Members of anonymous members and the variables of a DATASEC are found by their own names.
 * -EINVAL with a sentence that does not say in what there is no such member.
 */
int path_follow(const struct value_plan *p, uint64_t n, const char **path, struct path_end *ret, struct err *e);
/* A member of the brackets at @i; 0: there is none. */
uint32_t path_member(const struct value_plan *p, uint32_t i, const char *name, size_t len);
/* -EINVAL: "there is no member 'x'"; the hint has the members of @i. */
int path_no_member(const struct value_plan *p, uint32_t i, const char *name, size_t len, struct err *e);
/* The hint of an error about the members of @i; returns e->code. */
int path_hint(const struct value_plan *p, uint32_t i, struct err *e);
struct step;
/* The hint of an error about a value of an enum: its first words; returns e->code. */
int path_words_hint(const struct step *s, struct err *e);

#endif
