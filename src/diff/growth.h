/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/records.h"

/* Inside the folder: `diff --growth`, objects that become more in every step from file to file. */
struct growth_opts {
	const struct arg_list *files; /* archives, directories of them, or one recording */
	const struct records_opts *records;
	const char *more_than; /* "objects=10,bytes=1M": only what grows by more than that in an hour; NULL: all */
};
extern const struct schema growth_schema;
/* Prints the list; sets env->report->differs if it is not empty. 0 or -errno with @e set. */
int growth_run(struct env *env, const struct growth_opts *o, struct err *e);
