/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in insns.c. */

#include "own/capture/capture.h"
#include "own/capture/capture.bpf.h"

struct bpf_insn;
/* Put records together to programs. */
struct capture_copy {
	struct capture_copy *next;
	uint32_t id, cpu;
	uint32_t batch; /* 0: its CAPTURE_META was lost */
	uint64_t time;
	uint64_t held;		 /* bytes of memory that it uses */
	bool known, ended, torn; /* has its meta; has its end; a record did not fit */
	struct capture_meta meta;
	struct capture_end end;
	size_t jited_before; /* bytes of machine code of the functions before the current one */
	uint32_t bound_map;
	struct str part[CAPTURE_RECORDS];	/* funcs and maps: arrays of structs */
	struct str made[CAPTURED_ARRAYS], maps; /* what capture_copy_convert() returns */
};
struct capture_copies {
	struct capture_copy *open; /* not finished */
	struct capture_copy *ready, **ready_end;
	uint64_t held;
	/*
	 * Of all copies begun before this time (ns since boot), the first record was put: a record of a copy that began
	 * later was, or the reader found the ring empty then and sets it.
	 */
	uint64_t until;
};
#define CAPTURE_SETTLED 1000000u /* ns until a copy that has begun has its first record in the ring */
void capture_copies_init(struct capture_copies *cs);
void capture_copies_release(struct capture_copies *cs);
/* Add a record of the ring. */
void capture_copies_put(struct capture_copies *cs, const void *p, size_t n);
/* Give up unfinished copies that began before @time. */
void capture_copies_expire(struct capture_copies *cs, uint64_t time);
/* May a record of a copy of that batch or an earlier one be missing yet, if the batch ended at @time? */
bool capture_copies_unread(const struct capture_copies *cs, uint32_t batch, uint64_t time);
/* Take the next copy of that batch or an earlier one. NULL: none. The caller frees it with capture_copy_free(). */
struct capture_copy *capture_copies_take(struct capture_copies *cs, uint32_t batch);
bool capture_copies_has(const struct capture_copies *cs, uint32_t batch); /* are there any, finished or not? */
void capture_copy_free(struct capture_copy *c);
/* Convert it to what the kernel would report about the program. @ret points into @c. */
void capture_copy_convert(struct capture_copy *c, bool swap, uint32_t info_len, struct captured *ret);

/*
 * Convert instructions in the kernel's memory to those of its dump: replace addresses of maps and values by ids and
 * offsets, and undo the verifier's changes to loads and calls. @swap: exchange off and imm of calls of functions (since
 * Linux 7.2).
 */
void capture_insns(struct bpf_insn *insns, size_t n, const struct capture_map *maps, size_t nmaps, bool swap);
