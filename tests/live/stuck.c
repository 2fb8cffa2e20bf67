/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded, it lets BPF_PROG_LOAD hang as in a stuck kernel: the call never returns, and a signal of
 * the parent does not end it. Each such process writes its pid to the file that $STUCK names.
 */
#include <dlfcn.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int kill(pid_t pid, int sig)
{
	(void)pid;
	(void)sig;
	return 0;
}

static void stay(void)
{
	FILE *f = fopen(getenv("STUCK"), "a");

	if (f) {
		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
	}
	for (;;)
		pause();
}

long syscall(long number, ...)
{
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD)
		stay();
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
