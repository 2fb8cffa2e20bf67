/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stdbool.h>

/*
 * libbpf's own messages. They go to a buffer (of LOG_MAX bytes, or one message more; what comes after it is lost) that
 * is shown when the command fails; with @debug, messages of all levels go to standard error at once. The buffer is the
 * process's: libbpf's callback takes no context.
 */
#define LOG_MAX (1u << 20)
void log_start(bool debug);
const char *log_text(void); /* "" if there is nothing */
void log_forget(void);	    /* what it says is said in another way */
void log_stop(void);
/* -errno as libbpf gave it; its own numbers, from 4000 on, are -ENOEXEC: the file is not what it should be. */
int log_error(int err);
const char *log_library(void); /* libbpf's version: "1.1" */

#endif
