/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/wait.h"

#include <sys/wait.h>
#include <time.h>

#include "base/base.h"

#define STEP_MS 5

int wait_child(pid_t pid, int ms)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	pid_t got;
	int status;

	for (;;) {
		got = waitpid(pid, &status, ms < 0 ? 0 : WNOHANG);
		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got && ms <= 0)
			return -EAGAIN;
		if (!got) {
			nanosleep(&step, NULL);
			ms = ms > STEP_MS ? ms - STEP_MS : 0;
		}
	}
}

int wait_exit(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
