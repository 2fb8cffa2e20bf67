/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct arena;
struct sideband_record;
/*
 * The code that perf saw appear and disappear, by its clock, and whose it is. That is not found by time: the kernel
 * tells one listener after another, and may do something else for milliseconds between two of them; and perf lists what
 * was there before it began, of which some is gone when it begins. The functions of a program are those that the same
 * thread announced before it; where the kernel does not say whose an unload is (6.1), or the record was lost, those
 * that came last at their addresses.
 */
struct code_seen {
	uint64_t time; /* 0: it was there before */
	uint64_t addr;
	uint32_t tid;
	uint32_t prog; /* id; 0: no program, or unknown; if a record was lost, it may be the next one of the thread */
	enum {
		SEEN_CODE,
		SEEN_FUNC,
		SEEN_PROG
	} what; /* FUNC: of a program; PROG: the record after those of functions */
	bool gone;
	uint32_t len;
	struct code_seen *load; /* of code that goes: what came there last, or NULL */
	/* Private: the function before it of the same thread; it went. */
	struct code_seen *before;
	bool ended;
};
struct codes_seen {
	struct code_seen *v; /* in the order of codes_seen_add() */
	size_t n, cap;
	struct code_seen **by_time; /* after codes_seen_settle() */
};
bool codes_seen_takes(const struct sideband_record *r); /* SIDEBAND_KSYMBOL, but no hold, and SIDEBAND_PROG */
/* Others are ignored. In any order. */
void codes_seen_add(struct codes_seen *s, const struct sideband_record *r);
/* After the last: sorts, and sets the programs. @a: for the time of the call. */
void codes_seen_settle(struct codes_seen *s, struct arena *a);
void codes_seen_release(struct codes_seen *s);
