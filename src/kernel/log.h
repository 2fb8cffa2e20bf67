/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * libbpf's own messages. They are collected in a buffer that is printed when the command fails (at most LOG_MAX bytes,
 * exceeded by one message; later ones are lost). With @debug, messages of all levels go to standard error at once, and
 * only warnings are collected.
 * There is one buffer per process, because libbpf's callback takes no context.
 */
#define LOG_MAX (1u << 20)
void log_start(bool debug);
const char *log_text(void);   /* "" if there are none */
const char *log_unseen(void); /* those that were not printed yet */
void log_forget(void);	      /* empty the buffer, if its contents are reported in another way */
void log_stop(void);
/*
 * -errno as returned by libbpf; libbpf's own numbers, from 4000 on, become -ENOEXEC: the file is not a valid object
 * file.
 */
int log_error(int err);
const char *log_library(void);	      /* libbpf's version: "1.1" */
bool log_library_has(unsigned minor); /* is it version 1.@minor or newer? */
