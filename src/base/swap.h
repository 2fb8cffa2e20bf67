/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_SWAP_H
#define BASE_SWAP_H

#include <stddef.h>

/* Integers of the other byte order are turned round where they stand. */

/*
 * One record, as Python's struct writes it: B 1 byte, H 2, I 4, Q 8, each an integer, a number before it counts them;
 * "16s" 16 bytes that stay. Without padding. What is beyond the @n bytes is left out. Returns the record's size.
 */
size_t swap_record(const char *record, unsigned char *p, size_t n);
/* As many records as there are; what is left at the end is turned round as far as it reaches. */
void swap_records(const char *record, unsigned char *p, size_t n);

#endif
