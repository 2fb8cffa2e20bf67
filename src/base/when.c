/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/when.h"

#define MINUTE (60 * NSEC_PER_SEC)
#define DAY (24 * 60 * MINUTE)
#define YEAR_10000 253402300800

/* @n digits, at most @most; -1: they are not. */
static int digits_read(const char **p, unsigned n, int most)
{
	int v = 0;

	for (unsigned i = 0; i < n; i++, ++*p) {
		if (!isdigit((unsigned char)**p))
			return -1;
		v = v * 10 + **p - '0';
	}
	return v <= most ? v : -1;
}

static bool skip(const char **p, const char *word)
{
	if (!str_starts(*p, word))
		return false;
	*p += strlen(word);
	return true;
}

/* ".123" */
static bool fraction_read(const char **p, struct when *w)
{
	if (!skip(p, "."))
		return true;
	if (!isdigit((unsigned char)**p))
		return false;
	w->width = NSEC_PER_SEC;
	for (; isdigit((unsigned char)**p) && w->width > 1; ++*p) {
		w->width /= 10;
		w->ns += w->width * (uint64_t)(**p - '0');
	}
	return true;
}

/* "23:59:00.5" */
static bool clock_read(const char **p, struct when *w)
{
	w->tm.tm_hour = digits_read(p, 2, 23);
	if (w->tm.tm_hour < 0 || !skip(p, ":"))
		return false;
	w->tm.tm_min = digits_read(p, 2, 59);
	w->width = MINUTE;
	if (w->tm.tm_min < 0 || !skip(p, ":"))
		return w->tm.tm_min >= 0;
	w->tm.tm_sec = digits_read(p, 2, 60);
	w->width = NSEC_PER_SEC;
	return w->tm.tm_sec >= 0 && fraction_read(p, w);
}

/* "2026-01-31" */
static bool date_read(const char **p, struct tm *tm)
{
	tm->tm_year = digits_read(p, 4, 9999) - 1900;
	if (tm->tm_year < 70 || !skip(p, "-"))
		return false;
	tm->tm_mon = digits_read(p, 2, 12) - 1;
	if (tm->tm_mon < 0 || !skip(p, "-"))
		return false;
	tm->tm_mday = digits_read(p, 2, 31);
	return tm->tm_mday > 0;
}

/* "Z", " UTC", "+0100", "-01:00" or nothing. */
static bool zone_read(const char **p, struct when *w)
{
	const char *from = *p;
	int hours, minutes, sign;

	skip(p, " ");
	w->zoned = true;
	if (skip(p, "Z") || skip(p, "UTC"))
		return true;
	sign = **p == '-' ? -1 : 1;
	if (**p != '+' && **p != '-') {
		*p = from;
		w->zoned = false;
		return true;
	}
	++*p;
	hours = digits_read(p, 2, 23);
	skip(p, ":");
	minutes = digits_read(p, 2, 59);
	w->zone = sign * (hours * 60 + minutes) * 60;
	return hours >= 0 && minutes >= 0;
}

/* 0: no such day, or before 1970. */
static uint64_t calendar_at(const struct when *w, const struct tm *on)
{
	struct tm tm = *on;
	time_t t;

	tm.tm_isdst = -1;
	t = w->zoned ? timegm(&tm) - w->zone : mktime(&tm);
	if (t <= 0 || (w->base == WHEN_DATE && tm.tm_mday != on->tm_mday))
		return 0;
	return when_seconds((uint64_t)t);
}

/* A date, a time of day, or both. */
static bool calendar_read(const char *p, struct when *w)
{
	const char *from = p;
	bool day = date_read(&p, &w->tm);

	w->base = day ? WHEN_DATE : WHEN_LAST;
	p = day ? p : from;
	if (!day && (skip(&p, "today") || skip(&p, "yesterday"))) {
		w->base = WHEN_DAY;
		w->days = *from == 'y';
		day = true;
	}
	w->width = DAY;
	if ((!day || *p) && ((day && !skip(&p, " ") && (w->base != WHEN_DATE || !skip(&p, "T"))) ||
			     !clock_read(&p, w) || !zone_read(&p, w) || *p))
		return false;
	return w->base != WHEN_DATE || calendar_at(w, &w->tm);
}

/* "-5m", "5m ago", "now" */
static bool ago_read(const char *s, struct when *w)
{
	const size_t n = strlen(s), after = n > 4 && !strcmp(s + n - 4, " ago") ? 4 : 0, before = *s == '-';
	char span[NUM_SPAN], unit[] = "1s";
	int err;

	w->base = WHEN_AGO;
	if (!strcmp(s, "now"))
		return true;
	if (!after == !before || n == before + after || n >= sizeof(span))
		return false;
	memcpy(span, s + before, n - before - after);
	span[n - before - after] = '\0';
	unit[1] = span[n - before - after - 1];
	err = num_parse_nsec(span, &w->ns);
	w->ns = err == -ERANGE ? UINT64_MAX : w->ns;
	return err != -EINVAL && !num_parse_nsec(unit, &w->width);
}

int when_parse(const char *s, struct when *ret)
{
	uint64_t seconds;

	*ret = (struct when){ .base = WHEN_EPOCH, .width = NSEC_PER_SEC };
	if (!num_parse_u64(s, &seconds)) {
		ret->ns = when_seconds(seconds);
		return 0;
	}
	*ret = (struct when){ 0 };
	if (ago_read(s, ret))
		return 0;
	*ret = (struct when){ 0 };
	return calendar_read(s, ret) ? 0 : -EINVAL;
}

size_t when_words(const char *s)
{
	char text[WHEN_TEXT];
	size_t n = strcspn(s, WORD_STOPS), found = 0;
	struct when w;

	for (unsigned words = 1; words < 4 && s[n] == ' '; words++) {
		n += 1 + strcspn(s + n + 1, WORD_STOPS);
		str_fit(text, sizeof(text), "%.*s", (int)(n < WHEN_TEXT ? n : 0), s);
		found = when_parse(text, &w) ? found : n;
	}
	return found;
}

bool when_is_relative(const struct when *w)
{
	return w->base != WHEN_EPOCH && w->base != WHEN_DATE;
}

/* The time of day of @w on the day of @now, or so many days before. */
static uint64_t day_at(const struct when *w, uint64_t now, int days)
{
	const time_t t = (time_t)(now / NSEC_PER_SEC) + (w->zoned ? w->zone : 0);
	struct tm tm = w->tm, day;

	if (!(w->zoned ? gmtime_r(&t, &day) : localtime_r(&t, &day)))
		return 0;
	tm.tm_year = day.tm_year;
	tm.tm_mon = day.tm_mon;
	tm.tm_mday = day.tm_mday - days;
	return calendar_at(w, &tm) + w->ns;
}

uint64_t when_at(const struct when *w, uint64_t now)
{
	uint64_t at;

	switch (w->base) {
	case WHEN_EPOCH:
		return w->ns;
	case WHEN_AGO:
		return now > w->ns ? now - w->ns : 0;
	case WHEN_DATE:
		return calendar_at(w, &w->tm) + w->ns;
	case WHEN_DAY:
		return day_at(w, now, w->days);
	case WHEN_LAST:
		at = day_at(w, now, 0);
		return at > now ? day_at(w, now, 1) : at;
	}
	return 0;
}

bool when_has(const struct when *w, uint64_t now, uint64_t ns)
{
	const uint64_t at = when_at(w, now), width = w->width ? w->width : 1;

	/* Time that has passed is rounded down. */
	return w->base == WHEN_AGO ? ns <= at && at - ns < width : ns >= at && ns - at < width;
}

static char *digits_put(char *p, uint64_t v, unsigned n)
{
	for (unsigned i = n; i-- > 0; v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + n;
}

/* strftime() is too slow for long lists. */
char *when_print(char buf[WHEN_TEXT], uint64_t seconds, uint32_t ns, unsigned digits, bool utc)
{
	const time_t t = (time_t)seconds;
	char *p = buf;
	struct tm tm;
	int zone;

	if (seconds >= YEAR_10000 || !(utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm))) {
		p = num_dec(p, seconds);
		*p = '\0';
		return p;
	}
	p = num_dec(p, (uint64_t)tm.tm_year + 1900);
	for (int i = 0; i < 5; i++) {
		*p++ = "--T::"[i];
		p = digits_put(p, (uint64_t)(int[]){ tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec }[i],
			       2);
	}
	if (digits) {
		*p++ = '.';
		digits_put(p, ns, 9);
		p += digits;
	}
	zone = (int)(labs(tm.tm_gmtoff) / 60);
	*p++ = utc ? 'Z' : tm.tm_gmtoff < 0 ? '-' : '+';
	if (!utc)
		p = digits_put(p, (uint64_t)(zone / 60 * 100 + zone % 60), 4);
	*p = '\0';
	return p;
}
