/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct perf_data;
struct samples_head;
struct stack_names;
/* A recording as a file for perf(1): `report --inject` and `report --perf-data`. */

/*
 * Writes the file @in of perf to @path, with the programs of the recording. Records of loads and unloads that both have
 * are taken from the recording; others of perf are kept, without the garbage that the kernel added to them for other
 * listeners. @path appears when it is complete. 0 or -errno with a sentence. Counts as unread what is damaged in @in.
 */
int perf_inject(struct stack_names *names, const char *in, const char *path, struct err *e);
/* The same to a descriptor that can be sought. @name: of @in, for messages. */
int perf_inject_fd(struct stack_names *names, struct perf_data *in, const char *name, int fd, struct err *e);
/* Writes the samples of the recording. */
int perf_export(struct stack_names *names, const struct samples_head *how, const char *path, struct err *e);
