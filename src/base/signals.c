/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/signals.h"

#include "base/clean.h"

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ };

void signals_hold(struct signals *s)
{
	sigemptyset(&s->ours);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++) {
		struct sigaction now;

		/* An ignored signal would also become pending if it were blocked. */
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&s->ours, ending[i]);
	}
	sigprocmask(SIG_BLOCK, &s->ours, &s->before);
	s->held = true;
}

bool signals_came(const struct signals *s)
{
	sigset_t waiting;

	if (!s->held || sigpending(&waiting))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigismember(&s->ours, ending[i]) == 1 && sigismember(&waiting, ending[i]) == 1)
			return true;
	return false;
}

void signals_release(struct signals *s)
{
	if (s->held)
		sigprocmask(SIG_SETMASK, &s->before, NULL);
	s->held = false;
}
