/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <time.h>

#include "base/base.h"

/* Times as they are typed and printed, in nanoseconds since 1970: whatever is printed can be parsed. */
struct when {
	enum when_base {
		WHEN_EPOCH, /* ns after 1970 */
		WHEN_AGO,   /* ns before the present */
		WHEN_DATE,  /* tm, in local time or @zone, and ns */
		WHEN_DAY,   /* the same without a date, so many @days before today */
		WHEN_LAST,  /* the same on the last day that has come so far */
	} base;
	uint64_t ns;
	uint64_t width; /* how long it lasts: 1 minute for "14:05" and "5m ago", 1 day for a date */
	struct tm tm;
	int days, zone; /* @zone: seconds east of Greenwich */
	bool zoned;
};
/*
 * The whole of @s: "2026-01-31T23:59:00.5" or less of it, with a blank in place of T, and Z, UTC, +0100 or +01:00, or
 * nothing for local time; "14:05", "today 14:05", "yesterday", "yesterday 14:05"; "-1h30m", "5m ago", "now"; or seconds
 * since 1970. 0, or -EINVAL, also for days that do not exist and times before 1970.
 */
int when_parse(const char *s, struct when *ret);
#define WHEN_FORMS "-5m, 14:05, yesterday 14:05, 2026-01-31, 2026-01-31T23:59:00Z or seconds since 1970"
#define WORD_STOPS " \t\n()!&|<>=\"'" /* end a word of a filter */
/* The bytes at the start of @s that are a time of several such words, as "5m ago"; 0: none. */
size_t when_words(const char *s);
/* Does it depend on the present? */
bool when_is_relative(const struct when *w);
/* Its first nanosecond, if it is @now: after it if it is a span, which is rounded down; 0: before 1970. */
uint64_t when_at(const struct when *w, uint64_t now);
/* Would @ns, at @now, be printed as this time, to its precision? */
bool when_has(const struct when *w, uint64_t now, uint64_t ns);
/* In nanoseconds; times after the year 2554 are its end. */
static inline uint64_t when_seconds(uint64_t seconds)
{
	const uint64_t most = UINT64_MAX / NSEC_PER_SEC - 1;

	return (seconds < most ? seconds : most) * NSEC_PER_SEC;
}

/*
 * "2026-01-31T23:59:00Z", with @digits of a fraction, or in local time with +0100 in place of Z; returns the end. A
 * time after 9999 is printed as a number of seconds.
 */
#define WHEN_TEXT 40
char *when_print(char buf[WHEN_TEXT], uint64_t seconds, uint32_t ns, unsigned digits, bool utc);
