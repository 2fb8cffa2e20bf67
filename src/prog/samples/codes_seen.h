/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct arena;
struct sideband_record;
/*
 * The code that perf saw appear and disappear, by its clock, and whose it is. That is not found by time: the kernel
 * tells one listener after another, and may do something else for milliseconds between two of them.
 */
struct code_seen {
	uint64_t time, addr; /* addr UINT64_MAX: the record of a program, after those of its functions */
	uint32_t tid;
	uint32_t prog; /* id; 0: no program, or unknown */
	bool gone;
	bool func;		  /* of a program */
	struct code_seen *before; /* private */
};
struct codes_seen {
	struct code_seen *v; /* by time */
	size_t n, cap;
};
/* SIDEBAND_KSYMBOL, SIDEBAND_PROG; others and those without a time are ignored. In any order. */
void codes_seen_add(struct codes_seen *s, const struct sideband_record *r);
/* After the last: sorts, and sets the programs. @a: for the time of the call. */
void codes_seen_settle(struct codes_seen *s, struct arena *a);
/* That of a SIDEBAND_KSYMBOL, or NULL. */
const struct code_seen *codes_seen_find(const struct codes_seen *s, const struct sideband_record *r);
void codes_seen_release(struct codes_seen *s);
