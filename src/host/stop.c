/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/stop.h"

#include <poll.h>
#include <sys/signalfd.h>

/* nohup(1) ignores it; a blocked signal would be pending nevertheless. */
static bool hangup_is_ignored(void)
{
	struct sigaction now;

	return !sigaction(SIGHUP, NULL, &now) && now.sa_handler == SIG_IGN;
}

int stop_begin(struct stop *s)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	if (!hangup_is_ignored())
		sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGTERM);
	s->fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return -errno;
	s->output = -1;
	s->signal = 0;
	sigprocmask(SIG_BLOCK, &ours, &s->before);
	return 0;
}

bool stop_wait(struct stop *s, int fd, int ms)
{
	/* With no events requested, poll() still reports POLLERR when the last reader of a pipe is gone. */
	struct pollfd p[3] = { { s->fd, POLLIN, 0 }, { fd, POLLIN, 0 }, { s->output, 0, 0 } };

	return poll(p, 3, ms) > 0 && (p[0].revents || p[2].revents);
}

void stop_take(struct stop *s)
{
	struct signalfd_siginfo info;

	while (read(s->fd, &info, sizeof(info)) == sizeof(info)) {
		s->signal = (int)info.ssi_signo;
		s->by_terminal = info.ssi_code == SI_KERNEL;
	}
}

void stop_end(struct stop *s)
{
	if (s->fd < 0)
		return;
	/* Signals that were handled must not be delivered again. */
	stop_take(s);
	close(s->fd);
	s->fd = -1;
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}
