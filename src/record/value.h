/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in field.c. */

#include "record/field.h"

/* The value of a member or list element of @size bytes at @p, of any type except FT_LIST and FT_ROWS. */
struct value value_scalar(enum field_type type, uint32_t flags, const void *p, size_t size);
