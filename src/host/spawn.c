/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/spawn.h"

#include <fcntl.h>

#include "base/message.h"
#include "base/signals.h"
#include "base/wait.h"
#include "host/stop.h"
#include "kernel/clock.h"

/* If the command cannot be run, its errno goes through the pipe; otherwise exec closes the pipe. */
static void child(const char **argv, const sigset_t *mask, int why)
{
	int err;

	signals_pass_on();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], (char *const *)argv);
	err = errno;
	if (write(why, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int spawn(struct spawned *ret, const char *const *argv, size_t n, const sigset_t *mask, struct err *e)
{
	CLEAN_PTR const char **words = calloc(n + 1, sizeof(*words));
	int ends[2], err = 0;
	ssize_t got;
	pid_t pid;

	if (!words || pipe2(ends, O_CLOEXEC))
		return err_sys(e, words ? -errno : -ENOMEM, "cannot run '%s'", argv[0]);
	memcpy(words, argv, n * sizeof(*words));
	pid = fork();
	if (!pid)
		child(words, mask, ends[1]);
	close(ends[1]);
	got = pid < 0 ? 0 : read(ends[0], &err, sizeof(err));
	close(ends[0]);
	if (pid < 0)
		return err_sys(e, -errno, "cannot run '%s'", argv[0]);
	if (got == sizeof(err)) {
		wait_child(pid, WAIT_END);
		return err_sys(e, -err, "cannot run '%s'", argv[0]);
	}
	*ret = (struct spawned){ .pid = pid };
	return 0;
}

static bool ended_within(struct spawned *s, int ms)
{
	const int status = s->pid ? wait_child(s->pid, ms) : 0;

	if (!s->pid)
		return true;
	if (status == -EAGAIN)
		return false;
	s->pid = 0;
	s->status = status < 0 ? EXIT_FAILED : wait_exit(status);
	if (s->unasked && s->status == 128 + SIGTERM)
		s->status = 0;
	if (status < 0)
		message("bpflens: the exit status of the command is unknown: %s", err_text(status));
	return true;
}

/* A stopped command gets the signal when it continues. */
static void send_signal(const struct spawned *s, int signal)
{
	kill(s->pid, signal);
	kill(s->pid, SIGCONT);
}

bool spawn_has_ended(struct spawned *s)
{
	return ended_within(s, 0);
}

bool spawn_overdue(const struct spawned *s)
{
	return s->pid && s->due && clock_ns(CLOCK_MONOTONIC) >= s->due;
}

void spawn_stop(struct spawned *s, const struct stop *stop)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (spawn_has_ended(s))
		return;
	if (!s->due && !stop->by_terminal)
		send_signal(s, stop->signal ? stop->signal : SIGTERM);
	s->unasked = !stop->signal;
	s->due = s->due ? now : now + SPAWN_GRACE * NSEC_PER_SEC;
}

void spawn_end(struct spawned *s)
{
	uint64_t now;

	if (!s->due)
		spawn_stop(s, &(const struct stop){ 0 });
	now = clock_ns(CLOCK_MONOTONIC);
	if (ended_within(s, s->due > now ? (int)((s->due - now) / NSEC_PER_MSEC) + 1 : 0))
		return;
	send_signal(s, SIGKILL);
	s->status = 128 + SIGKILL;
	if (!ended_within(s, SPAWN_GRACE * 1000))
		message("bpflens: the command, process %d, does not end", (int)s->pid);
}
