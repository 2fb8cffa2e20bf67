/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"

/* If the command cannot be run, its errno goes through the pipe; otherwise exec closes the pipe. */
static void child(const char **argv, const sigset_t *mask, int why)
{
	int err;

	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], (char *const *)argv);
	err = errno;
	if (write(why, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int spawn(pid_t *ret, const char *const *argv, size_t n, const sigset_t *mask, struct err *e)
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
		waitpid(pid, NULL, 0);
		return err_sys(e, -err, "cannot run '%s'", argv[0]);
	}
	*ret = pid;
	return 0;
}

bool spawn_ended(pid_t pid, int *ret_status)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return false;
	*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}
