/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_CODE_LOG_H
#define RECORDING_CODE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"
#include "own/capture.h"
#include "own/kmem.h"
#include "source/codes.h"

struct source;
struct own;
struct catalog;
struct sideband_record;
struct logged;
/*
 * Machine code that no program of the recording has, into its file (source/codes.h): what the kernel announces, with
 * the bytes that are there when it is looked at, and classic filters, which are copied while they are attached. Zeroed
 * after code_log_init() is empty.
 */
struct code_log {
	struct source *file;
	struct own *own;
	struct arena *arena;
	struct hash here; /* by address: what is there now */
	struct logged **all;
	size_t n, cap, looked; /* all before @looked were looked at */
	uint32_t texts;	       /* in the file */
	uint64_t listed;       /* pieces that were in no file before this one */
	uint64_t changes;
	uint64_t classic; /* filters that were copied, as far as is known */
	struct kmem mem;
	int mem_error; /* 1: nobody needed it yet */
	struct str text;
};
void code_log_init(struct code_log *log, struct source *file, struct own *own);
void code_log_release(struct code_log *log);
/* The recording goes on in another file, with what is there now: it is read again (code_log_look()). */
void code_log_next(struct code_log *log, struct source *file);
/* A record of the side-band. */
void code_log_hear(struct code_log *log, const struct sideband_record *r);
/* A copy of a classic filter. */
void code_log_classic(struct code_log *log, const struct captured *c);

/*
 * Reads what was announced and not looked at. @listen is called after each reading: what it tells to be gone may be
 * something else by then, and is not kept.
 */
void code_log_look(struct code_log *log, void (*listen)(void *ctx), void *ctx);
/* Writes the list of what is of no program that is in the file. Forgets what is. */
void code_log_list(struct code_log *log, const struct catalog *cat);

/* After the end: pieces in the file and in none before it, those of them that were made meanwhile and whose bytes are
 * not. */
struct code_log_count {
	uint64_t listed, lost;
};
/* @lost, which may be NULL, is told of each of these. */
struct code_log_count code_log_count(const struct code_log *log, void (*lost)(void *ctx, const struct code *c),
				     void *ctx);

#endif
