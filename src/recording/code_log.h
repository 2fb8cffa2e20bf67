/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/capture/capture.h"
#include "own/kmem.h"
#include "source/codes.h"

struct source;
struct catalog;
struct sideband_record;
struct logged;
struct poke_log;
/*
 * Writes machine code that belongs to no program of the recording to its file (source/codes.h): code that the kernel
 * announces, with the bytes found when it is read, and classic filters, which are copied when they are attached. Empty
 * after code_log_init().
 */
struct code_log {
	struct source *file;
	struct own *own;
	struct arena *arena;
	struct hash here; /* by address: code that is there now */
	struct logged **all;
	size_t n, cap, looked; /* those before @looked have been read */
	uint32_t texts;	       /* number of texts in the file */
	uint64_t listed;       /* pieces that were in no earlier file */
	uint64_t changes;
	uint64_t classic; /* classic filters that were copied, without duplicates */
	struct kmem mem;
	int mem_error; /* 1: not opened yet */
	struct str text;
};
void code_log_init(struct code_log *log, struct source *file, struct own *own);
void code_log_release(struct code_log *log);
/* Continue the recording in another file, with the code that is there now, which is read again (code_log_look()). */
void code_log_next(struct code_log *log, struct source *file);
/* Pass in an announcement. */
void code_log_note(struct code_log *log, const struct sideband_record *r);
/* Pass in a copy of a classic filter. */
void code_log_classic(struct code_log *log, const struct captured *c);

/*
 * Read the code that was announced and not yet read. @listen is called after each reading: code that it reports as gone
 * may have been replaced when it was read, and is dropped.
 */
void code_log_look(struct code_log *log, void (*listen)(void *ctx), void *ctx);
/*
 * Read the code again whose changes no kernel announces, if it is in the file, and pass on what changed. @listen as
 * above.
 */
void code_log_again(struct code_log *log, struct poke_log *pokes, void (*listen)(void *ctx), void *ctx);
/* Write the list of code that belongs to no program in the file, and forget the rest. */
void code_log_list(struct code_log *log, const struct catalog *cat);

/*
 * After the end: pieces in this file and in no earlier one; pieces that appeared during the recording and whose bytes
 * are missing.
 */
struct code_log_count {
	uint64_t listed, lost;
};
/* Calls @lost, which may be NULL, for each piece whose bytes are missing. */
struct code_log_count code_log_count(const struct code_log *log, void (*lost)(void *ctx, const struct code *c),
				     void *ctx);
