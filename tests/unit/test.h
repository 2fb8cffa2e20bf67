/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

/* What every unit test includes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/out.h"

/* The text a memory output has collected so far, terminated; valid until something is added. */
static inline const char *out_cstr(struct out *o)
{
	*out_room(o, 1) = '\0';
	return o->buf;
}

#endif
