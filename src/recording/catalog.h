/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_CATALOG_H
#define RECORDING_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"
#include "kernel/abi.h"
#include "own/capture.h"
#include "source/lives.h"
#include "source/source.h"

struct arena;
struct own;
/* One program of a recording. */
struct catalog_prog {
	struct life life;
	char comm[16];
	uint8_t tag[8];
	bool announced, written; /* the kernel said that it was loaded (catalog.waiting); its answers are in the file */
	bool tried;		 /* it was asked for, in vain */
	uint64_t announced_at;
	uint32_t announced_pid;	   /* who loaded it; 0: not known */
	struct abi_prog_info info; /* of a copy; type 0: none */
	uint32_t info_len;
	struct str map_ids;
};
/*
 * The programs of a recording, and the answers about them: what was there at its beginning, copies that are handed in,
 * and the second look, by id, at what no whole copy was made of. The file writes and asks (source_record()).
 */
struct catalog {
	struct source *file;
	struct own *own;
	struct arena *arena, *scratch;
	struct hash by_id, maps, btfs; /* by id; of the last two those that are in the file */
	struct hash by_code;	       /* the last program at an address */
	struct hash earlier;	       /* by id: struct catalog_prog, what is known of those of the file before */
	struct catalog_prog **all;
	size_t n, cap;
	struct catalog_prog **waiting; /* for a copy, since they were announced */
	size_t nwaiting, waiting_cap;
	uint64_t from;	   /* of the recording */
	uint32_t only_pid; /* 0: of all processes */
};
void catalog_init(struct catalog *cat, struct source *file, struct own *own);
void catalog_release(struct catalog *cat);
/*
 * The recording goes on in another file, with what is there now (catalog_begin()). Whose copy is still to come is the
 * next file's: catalog_waits().
 */
void catalog_next(struct catalog *cat, struct source *file, uint64_t from);
bool catalog_waits(const struct catalog_prog *p);
bool catalog_has(const struct catalog *cat, uint32_t id); /* its answers are in this file */
/* What is there now. 0 or -errno: the list cannot be read. */
int catalog_begin(struct catalog *cat);
void catalog_captured(struct catalog *cat, const struct captured *c);
/* The kernel told of a load, or of an end; @pid 0: not known. */
void catalog_announced(struct catalog *cat, uint32_t id, uint64_t time, uint32_t pid, const uint8_t tag[8]);
bool catalog_gone(struct catalog *cat, uint32_t id, uint64_t time); /* false: it has no such */
/* The machine code at an address is gone: on some kernels (6.1) the end of a program has no id. */
bool catalog_code_gone(struct catalog *cat, uint64_t addr, uint64_t time);
/* Those that were announced before @time and of which there is no copy are asked for. */
void catalog_look(struct catalog *cat, uint64_t time);
/*
 * What is there at the end is as it is then; what is not is gone. After everything was saved. @last: no other file
 * follows, in which there will be what was saved and is not known.
 */
int catalog_end(struct catalog *cat, bool last);
/* Writes the lists of all that are in the file, and their lives. @to: 0, or the end of the recording. */
void catalog_list(struct catalog *cat, uint64_t to);

#endif
