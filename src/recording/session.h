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

struct env;
struct capture;
/* The inside of `record`. */
struct record_opts {
	const char *file;
	const char *seconds;
	const char *ring_size;
	const char *max_size;
	bool all;
	uint32_t pid, hz, max_files;
	struct arg_list command;
};

/* One run of `record`: its parts. */
struct recording {
	struct env *env;
	const struct record_opts *opts;
	struct capture *capture;
	uint32_t ring_size; /* bytes, of what it copies through */
	struct audit audit;
	struct catalog catalog;
	struct code_log code;
	struct sampler *sampler; /* NULL: none are wanted */
	int counting;		 /* as long as it is open the kernel counts runs; -1: none */
	struct stop stop;
	pid_t child;		      /* 0: none */
	int status;		      /* of that */
	bool ended;		      /* the child has */
	uint64_t until;		      /* ns since boot; 0: for any time */
	uint64_t due;		      /* when lists are to be written, ns since boot */
	uint64_t no_room;	      /* copies without, as far as was looked after what they are of */
	bool told;		      /* to end, by a signal */
	uint32_t file, first_file;    /* numbers: of the one that is written, and of the first that is kept */
	uint64_t max_size;	      /* of a file, bytes; 0: any */
	uint64_t full;		      /* with so many bytes this one is; 0: never */
	uint64_t loaded, whole;	      /* programs, in the files that are complete */
	uint64_t pieces, pieces_lost; /* of code that no program has */
};

/* Takes what is waiting in the rings; 0 or -errno. */
int session_read(struct recording *r);
void session_listen(void *r);		/* only to what the kernel announces */
void session_told(struct recording *r); /* looks whether a signal came, and takes it */

/* Of a file: FILE, FILE.1, FILE.2, ...; in the env's keep. */
const char *session_path(const struct recording *r, uint32_t file);
/*
 * The next file, the first one if the machine does not record yet, with what is there now. @from: ns since boot. What
 * there are more of than are to be kept is removed.
 */
int session_file_begin(struct recording *r, uint64_t from, struct err *e);
bool session_file_full(const struct recording *r);
/* Everything was saved. @to: ns since boot. @last: else what is waited for is the next file's. */
int session_file_end(struct recording *r, uint64_t to, bool last, struct err *e);
/* What there is now, into the lists of the file. */
void session_lists(struct recording *r, uint64_t to);

/* Counts what came with the file that is written, and tells of what is not in it. */
void session_count(struct recording *r);
/* What is in the file, in the command's format, and what is not, by name on standard error and in the report. */
void session_summary(struct recording *r);

#endif
