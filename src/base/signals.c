/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/signals.h"

#include "base/base.h"

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* A flag that changes nothing for a default action: the kernel keeps for us that the signal was ignored before. */
#define WAS_IGNORED SA_RESTART

/* Not SIG_IGN, which exec would pass on to pagers and commands. */
static void nothing(int signal)
{
}

static bool is_ignored(int signal)
{
	struct sigaction now;

	return !sigaction(signal, NULL, &now) && now.sa_handler == SIG_IGN;
}

void signals_begin(void)
{
	const struct sigaction drop = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	const struct sigaction wait = { .sa_handler = SIG_DFL, .sa_flags = WAS_IGNORED };

	if (!is_ignored(SIGPIPE))
		sigaction(SIGPIPE, &drop, NULL);
	if (!is_ignored(SIGXFSZ))
		sigaction(SIGXFSZ, &drop, NULL);
	if (is_ignored(SIGCHLD))
		sigaction(SIGCHLD, &wait, NULL);
}

void signals_pass_on(void)
{
	struct sigaction now;

	if (!sigaction(SIGCHLD, NULL, &now) && now.sa_handler == SIG_DFL && now.sa_flags & WAS_IGNORED)
		signal(SIGCHLD, SIG_IGN);
}

void signals_hold(struct signals *s)
{
	sigemptyset(&s->ours);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++) {
		/* An ignored signal would also become pending if it were blocked. */
		if (!is_ignored(ending[i]))
			sigaddset(&s->ours, ending[i]);
	}
	sigprocmask(SIG_BLOCK, &s->ours, &s->before);
	s->held = true;
}

bool signals_came(const struct signals *s)
{
	return s->held && signals_wait(&s->ours);
}

bool signals_wait(const sigset_t *of)
{
	sigset_t waiting;

	if (sigpending(&waiting))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigismember(of, ending[i]) == 1 && sigismember(&waiting, ending[i]) == 1)
			return true;
	return false;
}

void signals_release(struct signals *s)
{
	if (s->held)
		sigprocmask(SIG_SETMASK, &s->before, NULL);
	s->held = false;
}
