/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Run a command, discard its output, and print "SECONDS KILOBYTES STATUS": wall clock, peak resident size, exit status.
 * This is a small program, because the kernel counts the size of a child before exec(), which is the size of its
 * parent.
 */
int main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage usage;
	int status, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t pid;

	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	pid = fork();
	if (pid == 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.6f %ld %d\n", (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9, usage.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
