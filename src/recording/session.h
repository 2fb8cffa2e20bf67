/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_SESSION_H
#define RECORDING_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/command.h"
#include "host/stop.h"
#include "recording/audit.h"
#include "recording/catalog.h"
#include "recording/code_log.h"
#include "recording/sampler.h"

struct env; struct capture;
/* The inside of `record`. */
struct record_opts {
	const char *file;
	const char *seconds;
	const char *ring_size;
	bool all;
	uint32_t pid, hz;
	struct arg_list command;
};

/* One run of `record`: its parts. */
struct recording {
	struct env *env;
	const struct record_opts *opts;
	struct capture *capture;
	uint32_t ring_size;		/* bytes, of what it copies through */
	struct audit audit;
	struct catalog catalog;
	struct code_log code;
	struct sampler *sampler;	/* NULL: none are wanted */
	int counting;			/* as long as it is open the kernel counts runs; -1: none */
	struct stop stop;
	pid_t child;			/* 0: none */
	int status;			/* of that */
	bool ended;			/* the child has */
	uint64_t until;			/* ns since boot; 0: for any time */
	uint64_t due;			/* when lists are to be written, ns since boot */
};

/* What is in the file, in the command's format, and what is not, by name on standard error and in the report. */
void session_summary(struct recording *r);

#endif
