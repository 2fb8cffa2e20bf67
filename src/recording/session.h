/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in files.c, numbers.c and summary.c. */

#include "cli/command.h"
#include "host/spawn.h"
#include "host/stop.h"
#include "recording/audit.h"
#include "recording/catalog.h"
#include "recording/code_log.h"
#include "recording/counter_log.h"
#include "recording/map_call_log.h"
#include "recording/poke_log.h"
#include "recording/sampler.h"

/*
 * Internals of `record`. From a load to the file: copies are taken in the order of events, up to a cut. Before a copy,
 * what was announced before it is passed on, because addresses and ids are reused.
 *
 *   our programs ---- copies ----> ring, queue: | batch | batch | ...   capture_cut() ends a batch
 *   kernel ------ announcements --> audit           | capture_next()
 *                                     | audit_pass() v
 *                                     '-----------> catalog, one struct catalog_prog for each id ----> file
 *
 * A program. It waits for its copy, is in the file (written), or is known by name only (tried, not written):
 *
 *   announced --> waits --- complete copy ---------------------------------> written, LIFE_COPIED
 *                   |------ incomplete copy ---> ask kernel -- it is there --> written, LIFE_ASKED
 *                   |                                '-- it is gone -----------> written, LIFE_COPIED with life.missing
 *                   |                                                            (as below if the copy is only an id)
 *                   '------ no copy in time ---> ask kernel -- it is there --> written, LIFE_ASKED
 *                                                    '-- it is gone -----------> tried, LIFE_MISSED
 *   loaded before the recording ---------------> ask kernel -----------------> written or tried, LIFE_BEFORE
 *   in each of these states: announced as unloaded, or not listed at the end --> also life.gone
 *
 * A file, with --max-size:
 *
 *   session_file_begin() --> open -- full, capture_cut() --> before the cut -- capture_at_cut() --> session_file_end()
 *             ^                    copies before the cut are still taken into it                           |
 *             '------ capture_pass_cut(); programs that wait belong to the next file, catalog_next() <----'
 */
struct record_opts {
	const char *file;
	const char *seconds;
	const char *ring_size;
	const char *max_size;
	bool all, no_counters, features;
	uint32_t pid, hz, max_files;
	struct object_ref map;
	struct arg_list command;
};

/* One run of `record`, with its parts. */
struct recording {
	struct env *env;
	const struct record_opts *opts;
	struct capture *capture;
	uint32_t ring_size; /* bytes of the ring through which programs are copied */
	struct audit audit;
	struct catalog catalog;
	struct code_log code;
	struct poke_log pokes;
	struct sampler *sampler;    /* NULL: no samples requested */
	uint32_t map;		    /* whose calls are recorded; 0: none */
	struct map_call_log *calls; /* NULL: none requested */
	struct counter_log counters;
	int counting; /* a descriptor: while it is open the kernel counts runs; negative: none */
	struct stop stop;
	struct spawned command;
	uint64_t until;		      /* ns since boot; 0: no limit */
	uint64_t due;		      /* ns since boot at which lists are to be written */
	uint64_t no_room;	      /* number of copies that had no room, at the last check */
	bool signalled;		      /* a signal requested the end */
	uint32_t file, first_file;    /* number of the current file, and of the first file that is kept */
	uint64_t max_size;	      /* bytes of a file; 0: no limit */
	uint64_t full;		      /* bytes at which the current file is full; 0: never */
	uint64_t loaded, whole;	      /* programs loaded, and completely recorded, in finished files */
	uint64_t pieces, pieces_lost; /* of code that belongs to no program */
	uint64_t named;		      /* programs and changes of other code when the current file was begun */
	uint32_t modules;	      /* checksum of the list of the kernel's modules then */
};

/* Read the rings; 0 or -errno. */
int session_read(struct recording *r);
void session_listen(void *r);			/* read only the kernel's announcements */
void session_check_signal(struct recording *r); /* checks whether a signal came, and consumes it */

/* Path of a file: FILE, FILE.1, FILE.2, ...; in the env's keep. */
const char *session_path(const struct recording *r, uint32_t file);
/*
 * With --max-files, the files of earlier runs are of the same row: sets the number of the first file to the one after
 * theirs. -EBUSY: one of them is being written.
 */
int session_continue(struct recording *r, struct err *e);
/* With --max-files: remove the oldest files, complete or not, beyond the number to keep. */
void session_prune(struct recording *r);
/*
 * Begin the next file, or the first one if the machine is not being recorded yet, with what is loaded now. @from: ns
 * since boot. Removes the oldest files beyond the number to keep.
 */
int session_file_begin(struct recording *r, uint64_t from, struct err *e);
bool session_file_full(const struct recording *r);
/* Since the file was begun, has anything been loaded that adds to the kernel's symbols? */
bool session_symbols_changed(const struct recording *r);
/*
 * Finish the file after everything was saved. @to: ns since boot. @last: no file follows; otherwise programs that wait
 * for a copy belong to the next file.
 */
int session_file_end(struct recording *r, uint64_t to, bool last, struct err *e);
/* Write changes of code: those announced, and those found by reading code again whose changes are not. */
void session_pokes(struct recording *r);
/* Write the lists of the file as they are now. */
void session_lists(struct recording *r, uint64_t to);

/* Count what the current file added, and report what is missing from it. */
void session_count(struct recording *r);
/*
 * Print what is in the files, in the command's format; report what is missing, by name on standard error and in the
 * report.
 */
void session_summary(struct recording *r);
