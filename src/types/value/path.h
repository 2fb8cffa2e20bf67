/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct value_plan;
/* The end of a path: a step, and the bytes that its offset is relative to. */
struct path_end {
	uint32_t step;
	uint64_t base, room; /* base: offset in the value; room: bytes from there on */
};
/*
 * Follows "in.x", ".peers[1].port" or "" in values of @n bytes, up to the first character that is not part of a path;
 * *path is moved to it. Members of anonymous members and the variables of a DATASEC are found by their own names.
 * -EINVAL with a message that does not name the value.
 */
int path_follow(const struct value_plan *p, uint64_t n, const char **path, struct path_end *ret, struct err *e);
/* The member of step @i with this name; 0: none. */
uint32_t path_member(const struct value_plan *p, uint32_t i, const char *name, size_t len);
/* member_spell() of types/value/member.h. */
void path_spell(const struct value_plan *p, char *path);
/* -EINVAL: "no member 'x'"; the hint lists the members of @i. */
int path_no_member(const struct value_plan *p, uint32_t i, const char *name, size_t len, struct err *e);
/* Sets a hint that lists the members of @i; returns e->code. */
int path_hint(const struct value_plan *p, uint32_t i, struct err *e);
struct step;
/* Sets a hint that lists the first names of an enum; returns e->code. */
int path_words_hint(const struct step *s, struct err *e);
