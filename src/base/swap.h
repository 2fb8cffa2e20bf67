/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Integers of the other byte order are swapped in place. */

/*
 * Swap one record, in the format of Python's struct: B is an integer of 1 byte, H 2, I 4, Q 8, a number before it
 * repeats it; "16s" 16 bytes that stay. There is no padding. Integers beyond the @n bytes are ignored. Returns the
 * record's size.
 */
size_t swap_record(const char *record, unsigned char *p, size_t n);
/* Swap all records; of an incomplete one at the end, the integers that are complete. */
void swap_records(const char *record, unsigned char *p, size_t n);
