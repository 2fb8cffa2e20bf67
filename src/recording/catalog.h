/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in catalog_next.c. */

#include "kernel/abi.h"
#include "own/capture/capture.h"
#include "source/lives.h"
#include "source/source.h"
#include "source/file/recorder.h"

/* One program of a recording. */
struct catalog_prog {
	struct life life;
	char comm[16];
	uint8_t tag[8];
	bool announced, written; /* the kernel announced its load (catalog.waiting); its answers are in the file */
	bool tried;		 /* reading it from the kernel failed */
	uint64_t announced_at;
	uint32_t announced_pid;	   /* process that loaded it; 0: unknown */
	struct abi_prog_info info; /* from a copy; type 0: none */
	uint32_t info_len;
	struct str map_ids;
};
/*
 * The programs of a recording and the answers about them: the programs loaded at its beginning, the copies passed in,
 * and a second attempt, by id, for programs without a complete copy. @file is the recorder (source_record()): it asks
 * the kernel, and writes the answers.
 */
struct catalog {
	struct source *file;
	struct own *own;
	struct arena *arena, *scratch;
	struct hash by_id, maps, btfs; /* by id; maps and btfs only if they are in the file */
	struct hash by_code;	       /* the last program at an address */
	struct hash earlier;	       /* by id: programs that the previous file knows */
	struct catalog *next;	       /* of the next file, while it is prepared */
	struct catalog_prog **all;
	size_t n, cap;
	struct catalog_prog **waiting; /* announced, and waiting for a copy */
	size_t nwaiting, waiting_cap;
	uint64_t from;	   /* start of the recording */
	uint32_t only_pid; /* 0: programs of all processes */
};
void catalog_init(struct catalog *cat, struct source *file, struct own *own);
void catalog_release(struct catalog *cat);
/*
 * Prepare the next file, @file: what is passed to @cat from now on is also passed to @next, so that nothing has to be
 * read when the file changes. What is loaded now is added by catalog_begin(@next).
 */
void catalog_prepare(struct catalog *cat, struct catalog *next, struct source *file);
/*
 * The file changes at @from: cat->next has the programs that are loaded then, and stands alone. Programs whose copy is
 * still to come belong to it: catalog_waits(). @cat is for the end of its file only.
 */
void catalog_carry(struct catalog *cat, uint64_t from);
bool catalog_waits(const struct catalog_prog *p);
/* The ids of the objects that exist now, in cat->scratch. 0 or -errno. */
int catalog_ids(struct catalog *cat, enum object_kind kind, const uint32_t **ret, size_t *n);
bool catalog_has(const struct catalog *cat, uint32_t id); /* are its answers in this file? */
/* Add the programs that are loaded now. 0, or -errno: they cannot be listed. */
int catalog_begin(struct catalog *cat);
void catalog_add_copy(struct catalog *cat, const struct captured *c);
/* The kernel announced a load; @pid 0: unknown. */
void catalog_note_load(struct catalog *cat, uint32_t id, uint64_t time, uint32_t pid, const uint8_t tag[8]);
/* The same for a program of which neither an announcement nor a copy arrived, if it is not known. */
void catalog_note_lost(struct catalog *cat, const struct captured_lost *l);
/* the kernel announced an unload; false: the program is not in the catalog */
bool catalog_note_unload(struct catalog *cat, uint32_t id, uint64_t time);
/* The machine code at an address is gone: on some kernels (6.1) the announcement of an unload has no id. */
bool catalog_note_code_gone(struct catalog *cat, uint64_t addr, uint64_t time);
/* Ask the kernel about programs that were announced before @time and have no copy. */
void catalog_look(struct catalog *cat, uint64_t time);
/*
 * Renew the programs that are loaded at the end, and mark the others as gone. Call it after everything was saved.
 * @last: no other file follows, so also add saved programs that are not in the catalog.
 */
int catalog_end(struct catalog *cat, bool last);
/* Write the lists of all objects in the file, and the lives of programs. @to: end of the recording, or 0. */
void catalog_list(struct catalog *cat, uint64_t to);
