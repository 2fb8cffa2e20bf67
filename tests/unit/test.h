/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Every unit test includes this file first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"

/* End the running test, which does not count as passed. tests/tools/run-unit prints the line. */
#define skip_because(why) \
	do { \
		print_message("skip - %s: %s\n", __func__, why); \
		skip(); \
	} while (0)

/* libbpf counts CPUs in sysfs, and the kernel's BTF is in it; a build chroot may have none. */
#define NEEDS_SYSFS() \
	do { \
		if (access("/sys/devices/system/cpu/possible", R_OK)) \
			skip_because("sysfs is not mounted"); \
	} while (0)

/* The text a memory output has collected so far, terminated; valid until something is added. */
static inline const char *out_cstr(struct out *o)
{
	*out_room(o, 1) = '\0';
	return o->buf;
}
