/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/pace.h"

#include "base/when.h"
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

int pace_wait_for(struct pace *p, int fd)
{
	uint64_t t = now();
	const uint64_t left = p->next > t ? p->next - t : 0;

	if (stop_wait(&p->stop, fd, (int)((left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC)))
		return -1;
	t = now();
	if (t < p->next)
		return 1;
	p->next = p->next + p->interval > t ? p->next + p->interval : t;
	return 0;
}

bool pace_wait(struct pace *p)
{
	int got;

	/* The wait may end early: the process was stopped and continued, or the terminal was resized. */
	do
		got = pace_wait_for(p, -1);
	while (got > 0);
	return !got;
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

char *pace_time(char buf[PACE_TIME])
{
	const uint64_t ns = clock_ns(CLOCK_REALTIME);

	when_print(buf, ns / NSEC_PER_SEC, (uint32_t)(ns % NSEC_PER_SEC), 3, true);
	return buf;
}
