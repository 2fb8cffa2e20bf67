/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>

/* Of a function: which parameter is the format, and which the first argument; 0: a va_list. */
#define PRINTF(format_, first) __attribute__((format(printf, format_, first)))

#ifndef ENOTSUPP
#define ENOTSUPP 524 /* the kernel's own, which leaks out of bpf(2) */
#endif
/*
 * One failure, for two readers: a code for the program, a sentence for the human.
 *
 * A function that can fail returns 0 or the negative errno it also stores here. On success it leaves *e alone, and on
 * failure it leaves its other out-parameters alone. The first failure wins: on an error that is already set, err_set()
 * only returns its code. Nothing here prints; main.c does, once.
 *
 * Messages name the object and the cause, without the program's name, a full stop or a newline:
 * "link 12: cannot read info: Operation not permitted". The errno name is added when it is printed.
 */
/* What the program exits with; documented in bpflens(8), EXIT STATUS. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,	     /* the command line is wrong */
	EXIT_NOT_FOUND = 3,  /* no such object, file, key */
	EXIT_PERMISSION = 4, /* the kernel refused for lack of privilege */
	EXIT_PARTIAL = 5,    /* output was printed, but some of it could not be read */
};

struct err {
	int code;	 /* 0, or -errno */
	int status;	 /* an exit_status that overrides the one of the code; 0: none */
	char msg[512];	 /* truncated as str_fit() does */
	char hint[1024]; /* the remedy, or ""; the usage of any command fits */
};

/* Set code (< 0) and message; returns the code now set. NULL @e is allowed: only the code is returned. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF(3, 4);

/* Like err_set(e, code, "<fmt>: <strerror(-code)>"). */
int err_sys(struct err *e, int code, const char *fmt, ...) PRINTF(3, 4);

/* The command line is wrong: -EINVAL, EXIT_USAGE. */
int err_usage(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Prepend "where: " to a set error; returns its code. For a NULL @e, whose code is not known, -EIO: never success. */
int err_in(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Set the remedy, unless a hint is already set; returns e->code, or -EIO for a NULL @e. */
int err_hint(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/*
 * The same with a command that has any text as a word of a shell (str_shell()). No hint if that is not possible, if it
 * would be truncated, or if the word would be an option.
 */
int err_hint_word(struct err *e, const char *before, const char *word, const char *after);

void err_clear(struct err *e);

/* "Operation not permitted" for a negative errno; also for errnos that only the kernel uses. */
const char *err_text(int code);
/* "EPERM" for EPERM or -EPERM; "unknown errno" for an unknown one. Static storage, never NULL. */
const char *err_name(int code);

enum exit_status err_exit_status(const struct err *e);
