/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Rows of the table of arguments of a command that reads again and again (host/pace.h). @T has the members interval, a
 * const char *, and count, a uint32_t.
 */
#define INTERVAL_ARGS(T, interval_help, count_help) \
	{ .name = "interval", \
	  .metavar = "SECONDS", \
	  .type = ARG_STR, \
	  .off = offsetof(T, interval), \
	  .help = interval_help }, \
	{ \
		.name = "--count", .metavar = "N", .type = ARG_U32, .flags = ARG_NONZERO, .off = offsetof(T, count), \
		.help = count_help \
	}
