/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Rows of the table of arguments of a command that reads again and again (host/pace.h). @T has the members interval, a
 * const char *, and count, a uint32_t.
 */
#define INTERVAL_ARGS(T, interval_help, count_help) \
	ARG("interval", ARG_STR, T, interval, interval_help, .metavar = "SECONDS"), \
		ARG("--count", ARG_U32, T, count, count_help, .metavar = "N", .flags = ARG_NONZERO)
