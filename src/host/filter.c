/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/filter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/signals.h"
#include "base/wait.h"

#define MISSING 127 /* as in shells */

/* Files instead of pipes, so that neither side waits for the other. */
static _Noreturn void child(const char *const *argv, int in, int out, unsigned seconds, size_t most)
{
	const struct rlimit size = { most + 1, most + 1 };
	int none = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(none, STDERR_FILENO) >= 0 &&
	    !setrlimit(RLIMIT_FSIZE, &size)) {
		signal(SIGALRM, SIG_DFL);
		signals_pass_on();
		alarm(seconds);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
	}
	_exit(errno == ENOENT ? MISSING : 1);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t did = write(fd, p, n);

		if (did < 0)
			return -errno;
		p += did;
		n -= (size_t)did;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

int filter_run(const char *const *argv, const char *text, size_t n, unsigned seconds, size_t most, struct str *ret)
{
	CLEAN_FD in = memfd_create("bpflens.in", MFD_CLOEXEC), out = memfd_create("bpflens.out", MFD_CLOEXEC);
	int err = in < 0 || out < 0 ? -errno : write_all(in, text, n), status;
	pid_t pid;

	if (err)
		return err;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		child(argv, in, out, seconds, most);
	status = wait_child(pid, WAIT_END);
	if (status < 0)
		return -EIO;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGALRM ? -ETIME : -EIO;
	if (WEXITSTATUS(status))
		return WEXITSTATUS(status) == MISSING ? -ENOENT : -EIO;
	err = lseek(out, 0, SEEK_SET) < 0 ? -errno : str_read_fd(ret, out, most);
	return err == -EFBIG ? -EIO : err;
}
