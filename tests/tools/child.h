/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/strict_json.h"

/* The program, linked in, as a child process whose output is kept. */
struct child {
	int status;    /* -SIGNAL if one ended it */
	char *text[2]; /* standard output and error, with a 0 after them; child_free() */
	size_t n[2];
};

int bpflens_main(int argc, char **argv);

static int child_files[2]; /* of this process: child_open() */

static inline bool child_open(void)
{
	child_files[0] = memfd_create("stdout", MFD_CLOEXEC);
	child_files[1] = memfd_create("stderr", MFD_CLOEXEC);
	return child_files[0] >= 0 && child_files[1] >= 0;
}

static inline void child_slurp(int fd, char **ret, size_t *ret_n)
{
	off_t size = lseek(fd, 0, SEEK_END);

	*ret_n = size > 0 ? (size_t)size : 0;
	*ret = malloc(*ret_n + 1);
	if (!*ret || pread(fd, *ret, *ret_n, 0) != (ssize_t)*ret_n)
		abort();
	(*ret)[*ret_n] = '\0';
}

/* @prepare, or NULL, is called in the child. SIGXCPU after @seconds of the CPU, SIGALRM after six times as many. */
static inline struct child child_run(char **argv, void (*prepare)(void), unsigned seconds)
{
	struct child r = { 0 };
	int argc = 0, status;
	pid_t pid;

	while (argv[argc])
		argc++;
	for (int i = 0; i < 2; i++)
		if (ftruncate(child_files[i], 0) || lseek(child_files[i], 0, SEEK_SET))
			abort();
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid) {
		dup2(child_files[0], STDOUT_FILENO);
		dup2(child_files[1], STDERR_FILENO);
		setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds + 1 });
		alarm(6 * seconds);
		if (prepare)
			prepare();
		exit(bpflens_main(argc, argv));
	}
	waitpid(pid, &status, 0);
	r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	for (int i = 0; i < 2; i++)
		child_slurp(child_files[i], &r.text[i], &r.n[i]);
	return r;
}

static inline void child_free(struct child *r)
{
	free(r->text[0]);
	free(r->text[1]);
}

/* What no command line may lead to; NULL: nothing of this kind. */
static inline const char *child_fault(const struct child *r)
{
	if (r->status == -SIGXCPU || r->status == -SIGALRM)
		return "it does not end";
	if (r->status < 0)
		return "ended by a signal";
	if (strstr(r->text[1], "Sanitizer: ") || strstr(r->text[1], "runtime error: "))
		return "a report of a sanitizer";
	if (r->status > 5)
		return "a status that is not documented";
	if (r->status && !r->n[1] && !r->n[0])
		return "a failure without a sentence";
	return NULL;
}

static inline bool child_is_json(const struct child *r)
{
	struct strict s;

	return strict_json(&s, r->text[0], r->n[0], 0);
}
