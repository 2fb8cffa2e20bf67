/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct own;
struct source;
struct sideband;
struct sideband_record;
struct logged_poke;
/*
 * Writes changes of machine code to the file of a recording (source/codes.h): those that the kernel announces in pages
 * with code of BPF, and those found by reading. The announcements have rings of their own, so that function tracing,
 * which changes thousands of places, crowds out no loads. Zeroed: closed, and writes nothing.
 */
struct poke_log {
	struct source *file;
	struct sideband *ring; /* NULL: the kernel does not announce changes */
	struct arena *arena;
	struct hash code, poked; /* by page: with code of BPF; those that are also in the file as changed */
	struct str bytes;	 /* of those that wait */
	struct logged_poke *waits;
	size_t n, cap;
	uint64_t pieces;	     /* in the file */
	uint64_t lost, lost_written; /* announcements that did not arrive; those that the file knows of */
	uint64_t listened_at,
		written_at; /* ns since boot: of the last poke_log_listen(), and the last one that was written */
	uint64_t read;	    /* ns since boot: when code was last read again (code_log_again()) */
	uint64_t last;	    /* time of the last announcement of a change, whether of BPF or not, or of code */
};
void poke_log_init(struct poke_log *log);
/* After poke_log_init(): begin to listen, if this kernel announces changes. */
void poke_log_open(struct poke_log *log, struct own *own);
void poke_log_close(struct poke_log *log);
/* Write to this file from now on. */
void poke_log_use(struct poke_log *log, struct source *file);
/* Code is at this address; @time not 0: it appeared then, in ns since boot. */
void poke_log_code(struct poke_log *log, uint64_t addr, uint64_t len, uint64_t time);
void poke_log_note(struct poke_log *log, const struct sideband_record *r); /* an announcement of a change */
void poke_log_listen(struct poke_log *log);				   /* take the announcements received so far */
/*
 * Bytes at @addr were @old at @since, and are @now at @time. What was announced meanwhile is left out. Call it after
 * poke_log_listen(), before poke_log_write().
 */
void poke_log_found(struct poke_log *log, uint64_t addr, uint64_t since, uint64_t time, const unsigned char *old,
		    const unsigned char *now, size_t n);
/* Write what waits. */
void poke_log_write(struct poke_log *log);
