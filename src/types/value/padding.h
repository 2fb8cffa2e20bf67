/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct value_plan;
/* The bytes of a value that are not part of a member: their offsets, ascending. */
struct padding {
	const uint32_t *at;
	uint32_t n; /* 0: there are none, or there are too many members to find them */
};
/* Finds the padding of a value of @n bytes; *ret is in the arena. @p NULL: no type, so no padding. */
void padding_find(struct padding *ret, const struct value_plan *p, size_t n, struct arena *a);
/* True if one of these bytes is not zero. */
int padding_dirty(const struct padding *p, const void *bytes);
/* Copy the padding from and to a value; @list has p->n bytes. */
void padding_get(const struct padding *p, const void *bytes, unsigned char *list);
void padding_set(const struct padding *p, void *bytes, const unsigned char *list);
