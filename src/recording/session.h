/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in change.c, files.c, numbers.c, summary.c and take.c. */

#include "cli/command.h"
#include "host/spawn.h"
#include "host/stop.h"
#include "recording/audit.h"
#include "recording/catalog.h"
#include "recording/code_log.h"
#include "recording/counter_log.h"
#include "recording/list_log.h"
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
 * A file, with --max-size. What takes long is done while copies are taken into it as before; the change itself takes
 * some ten milliseconds:
 *
 *   session_file_begin() --> open -- full --> session_prepare(): what the end has, and the beginning of the next file
 *                             ^                   |       meanwhile session_take_share(), into both files
 *                             |                   '-- capture_cut() --> before the cut, still into both
 *                             |                                              |
 *                             '-- session_change(): catalog_carry() <-- capture_at_cut()
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
	struct catalog next; /* of the next file; its file is not NULL from session_prepare() to session_change() */
	struct code_log code;
	struct poke_log pokes;
	struct sampler *sampler;    /* NULL: no samples requested */
	uint32_t map;		    /* whose calls are recorded; 0: none */
	struct map_call_log *calls; /* NULL: none requested */
	struct counter_log counters;
	struct list_log lists;
	int counting; /* a descriptor: while it is open the kernel counts runs; negative: none */
	struct stop stop;
	struct spawned command;
	uint64_t until;		      /* ns since boot; 0: no limit */
	uint64_t due;		      /* ns since boot at which lists are to be written */
	uint64_t listed;	      /* programs and changes of other code when they were written */
	uint64_t counted;	      /* ns since boot at which counters and lists of objects were written */
	uint64_t rest;		      /* ns since boot until which the machine is asked before copies are taken again */
	bool preparing, taking;	      /* within session_prepare(), session_take_share() */
	bool cutting;		      /* no copies after the cut are taken */
	bool ending;		      /* no more copies are made */
	struct err failed;	      /* of the latter */
	uint64_t no_room;	      /* number of copies that had no room, at the last check */
	int no_names;		      /* -errno: the programs of these were not all listed */
	bool signalled;		      /* a signal requested the end */
	uint32_t file, first_file;    /* number of the current file, and of the first file that is kept */
	uint64_t max_size;	      /* bytes of a file; 0: no limit */
	uint64_t begun, meanwhile;    /* bytes of what a file begins with; of copies that were taken meanwhile */
	uint64_t full;		      /* bytes at which the current file is full; 0: never */
	uint64_t loaded, whole;	      /* programs loaded, and completely recorded, in finished files */
	uint64_t pieces, pieces_lost; /* of code that belongs to no program */
	uint64_t named;		      /* programs and changes of other code when symbols were written */
	struct blob features;	      /* what the kernel can do, in the env's keep; p NULL: not tried */
	uint32_t modules;	      /* checksum of the list of the kernel's modules then */
};

#define SESSION_APART (500 * NSEC_PER_MSEC) /* between two writings of the lists */

/* Read the rings; 0 or -errno. */
int session_read(struct recording *r);
/* Take all waiting copies, when r->cutting up to a cut; @all: no more will come. 0 or -errno. */
int session_take_all(struct recording *r, bool all);
/* Take waiting copies, and twice a second write to the file what is needed to read it. 0, or -errno with a message. */
int session_take(struct recording *r, struct err *e);
void session_take_share(struct recording *r); /* the same beside other work, into r->failed */
/* Write the lists, counters, samples and calls now. */
void session_write(struct recording *r);
void session_listen(void *r);			/* read only the kernel's announcements */
void session_check_signal(struct recording *r); /* checks whether a signal came, and consumes it */

/* Path of a file: FILE, FILE.1, FILE.2, ...; in the env's keep. */
const char *session_path(const struct recording *r, uint32_t file);
/*
 * With --max-files, the files of earlier runs are of the same row: sets the number of the first file to the one after
 * theirs, and removes what a killed run was preparing. -EBUSY: one of them is being written.
 */
int session_continue(struct recording *r, struct err *e);
/* With --max-files: remove the oldest files, complete or not, beyond the number to keep. */
void session_prune(struct recording *r);
/*
 * Begin the first file, with what is loaded now. @from: ns since boot. Removes the oldest files beyond the number to
 * keep.
 */
int session_file_begin(struct recording *r, uint64_t from, struct err *e);
bool session_file_full(const struct recording *r);
void session_file_limit(struct recording *r); /* sets r->full, by r->begun */
/* Save what `save` saves. While samples are taken, elements of maps are not counted. */
void session_save(struct recording *r, bool sampling);
/*
 * Write what the end of the file has, after everything was saved. @to: ns since boot. @last: no file follows; otherwise
 * programs that wait for a copy belong to the next file.
 */
int session_file_end(struct recording *r, uint64_t to, bool last, struct err *e);
/* The file is full: save the machine, and make the next file, which appears in session_change(). */
int session_prepare(struct recording *r, struct err *e);
/* Complete the file, and go on in the next one, from the cut at @time. The oldest files are removed. */
int session_change(struct recording *r, uint64_t time, struct err *e);
/* There will be no next file. */
void session_prepare_drop(struct recording *r);
/* In a file that begins: what is needed to read programs, and those that are loaded now. */
int session_basics(struct recording *r, struct catalog *cat, struct err *e);
/* The machine is asked through this recorder from now on; the one before is closed. */
void session_use(struct recording *r, struct source *file);
const char *session_note(const struct recording *r); /* what was left out */
bool session_meanwhile(void *r);		     /* for source_record_between() */
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
