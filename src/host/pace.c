/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/pace.h"

#include "base/base.h"
#include "kernel/clock.h"

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void pace_clocks(uint64_t ret[PACE_CLOCKS])
{
	static const clockid_t clocks[PACE_CLOCKS] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME };

	for (int i = 0; i < PACE_CLOCKS; i++)
		ret[i] = clock_ns(clocks[i]);
}

int pace_begin(struct pace *p, uint64_t interval_ns)
{
	*p = (struct pace){ .interval = interval_ns, .last = now() };
	p->next = p->last + interval_ns;
	return stop_begin(&p->stop);
}

bool pace_wait(struct pace *p)
{
	uint64_t t = now();

	/* The wait may end early: the process was stopped and continued, or the terminal was resized. */
	do {
		const uint64_t left = p->next > t ? p->next - t : 0;

		if (stop_wait(&p->stop, -1, (int)((left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC)))
			return false;
		t = now();
	} while (t < p->next);
	p->next = p->next + p->interval > t ? p->next + p->interval : t;
	return true;
}

uint64_t pace_lap(struct pace *p)
{
	uint64_t t = now(), lap = t - p->last;

	p->last = t;
	return lap ? lap : 1;
}

void pace_end(struct pace *p)
{
	stop_end(&p->stop);
}

int pace_parse(const char *text, uint64_t *ret, struct err *e)
{
	uint64_t ns = 0, unit = NSEC_PER_SEC;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && ns <= 86400 * NSEC_PER_SEC; p++)
		ns = ns * 10 + (uint64_t)(*p - '0') * NSEC_PER_SEC;
	if (*p == '.' && p > text)
		for (p++; *p >= '0' && *p <= '9'; p++)
			ns += (uint64_t)(*p - '0') * (unit /= 10);
	if (*p || p == text || ns < NSEC_PER_SEC / 100 || ns > 86400 * NSEC_PER_SEC)
		return err_usage(e, "'%.32s' is not an interval: seconds from 0.01 to 86400", text);
	*ret = ns;
	return 0;
}

static void moment(time_t seconds, unsigned fraction, int digits, char *buf, size_t size)
{
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, size - n, ".%0*uZ", digits, fraction);
}

char *pace_time(char *buf, size_t size)
{
	uint64_t ns = clock_ns(CLOCK_REALTIME);

	moment((time_t)(ns / NSEC_PER_SEC), (unsigned)(ns % NSEC_PER_SEC / NSEC_PER_MSEC), 3, buf, size);
	return buf;
}

char *pace_moment(uint64_t ns, char *buf, size_t size)
{
	moment((time_t)(ns / NSEC_PER_SEC), (unsigned)(ns % NSEC_PER_SEC / NSEC_PER_USEC), 6, buf, size);
	return buf;
}
