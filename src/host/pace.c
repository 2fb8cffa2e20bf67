/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/pace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
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

void pace_begin(struct pace *p, uint64_t interval_ns)
{
	*p = (struct pace){ .interval = interval_ns };
	sigemptyset(&p->held);
	sigaddset(&p->held, SIGINT);
	sigaddset(&p->held, SIGTERM);
	sigaddset(&p->held, SIGHUP);
	sigprocmask(SIG_BLOCK, &p->held, &p->old);
	p->last = now();
	p->next = p->last + interval_ns;
}

bool pace_wait(struct pace *p)
{
	for (;;) {
		uint64_t t = now(), left = p->next > t ? p->next - t : 0;
		struct timespec wait = { (time_t)(left / NSEC_PER_SEC), (long)(left % NSEC_PER_SEC) };

		if (sigtimedwait(&p->held, NULL, &wait) > 0)
			return false;
		if (errno == EINTR)		/* stopped and continued, a new size of the terminal */
			continue;
		t = now();
		p->next = p->next + p->interval > t ? p->next + p->interval : t;
		return true;
	}
}

uint64_t pace_lap(struct pace *p)
{
	uint64_t t = now(), lap = t - p->last;

	p->last = t;
	return lap ? lap : 1;
}

/* What was caught while the last lines were made has been obeyed. */
void pace_end(struct pace *p)
{
	struct timespec none = { 0, 0 };

	while (sigtimedwait(&p->held, NULL, &none) > 0)
		;
	sigprocmask(SIG_SETMASK, &p->old, NULL);
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
		return err_usage(e, "'%.32s' is no interval: seconds from 0.01 to 86400", text);
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
