/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CAPTURE_COPIES_H
#define OWN_CAPTURE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "own/capture.h"
#include "own/capture.bpf.h"

struct bpf_insn;
/* From records to programs. */
struct capture_copy {
	struct capture_copy *next;
	uint32_t id, cpu;
	uint32_t batch; /* 0 if its head was lost */
	uint64_t time;
	uint64_t held;		 /* bytes of memory */
	bool known, ended, torn; /* has its meta; is complete; something came that does not fit */
	struct capture_meta meta;
	struct capture_end end;
	size_t jited_before; /* bytes of machine code of the functions before the one that comes */
	uint32_t bound_map;
	struct str part[CAPTURE_RECORDS];	/* funcs and maps: structs one after the other */
	struct str made[CAPTURED_ARRAYS], maps; /* what becomes of it */
};
struct capture_copies {
	struct capture_copy *open; /* not ended */
	struct capture_copy *ready, **ready_end;
	uint64_t held;
};
void capture_copies_init(struct capture_copies *cs);
void capture_copies_release(struct capture_copies *cs);
/* A record of the ring. */
void capture_copies_put(struct capture_copies *cs, const void *p, size_t n);
/* Those that began before @time and did not end will not end. */
void capture_copies_expire(struct capture_copies *cs, uint64_t time);
/* The next one of that batch or one before it. NULL: none. The caller's, for capture_copy_free(). */
struct capture_copy *capture_copies_take(struct capture_copies *cs, uint32_t batch);
bool capture_copies_left(const struct capture_copies *cs, uint32_t batch); /* there are some, perhaps not ended */
void capture_copy_free(struct capture_copy *c);
/* What the kernel would answer to whoever asks for the program. Points into @c. */
void capture_copy_tell(struct capture_copy *c, bool swap, uint32_t info_len, struct captured *ret);

/*
 * From instructions in the kernel's memory to those of its dump: addresses of maps and of their values become ids and
 * offsets, and what the verifier put in place of loads and calls is as it was. @swap: off and imm of calls of functions
 * are exchanged (7.2).
 */
void capture_insns(struct bpf_insn *insns, size_t n, const struct capture_map *maps, size_t nmaps, bool swap);

#endif
