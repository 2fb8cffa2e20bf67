/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "metrics/text.h"

struct env;
/* Inside the folder: the metrics over HTTP. */
struct listener {
	struct env *env;
	const char *address;
	/* Makes all series, in env->keep; @counting: runs are counted. Called in a child process, once for each
	 * reading. */
	int (*read)(struct env *env, const void *opts, bool counting, struct series_set ret[SETS], struct err *e);
	const void *opts;
};
/* Serve until a signal comes. Runs of programs are counted as long. 0 or -errno. */
int metrics_listen(const struct listener *l, struct err *e);
