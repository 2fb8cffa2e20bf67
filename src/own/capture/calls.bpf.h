/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "own/numbers.h"

/* What calls_*.bpf.c report about each finished bpf(2), and what they need to know about its commands. */
#define CALLS_ATTR 256u /* most bytes of union bpf_attr in a record */
#define CALLS_TEXT 128u
#define CALLS_FDS 4u /* most members of one command that are descriptors */
#define CALLS_COMMANDS 64u

struct calls_object {
	uint32_t kind; /* enum object_kind + 1; 0: not a BPF object */
	uint32_t id;
};
struct calls_record {
	uint64_t begin, end; /* ns, CLOCK_BOOTTIME */
	int64_t result;
	uint32_t pid, tid; /* in the reader's process namespace; 0: not in it */
	uint32_t cmd;
	uint32_t size; /* of the attributes, as passed by the caller */
	uint32_t got;  /* bytes of the attributes in attr; the rest of attr is zero */
	uint32_t pad;
	struct calls_object made; /* the descriptor that it returned */
	struct calls_object object[CALLS_FDS];
	char comm[16];			/* of the thread */
	char text[CALLS_TEXT];		/* the string that a member points to; without NUL: truncated */
	unsigned char attr[CALLS_ATTR]; /* after the call, when the kernel may have written to it */
};
/* Offsets of members of union bpf_attr, plus 1; 0: no such member. */
struct calls_command {
	uint8_t text, fd[CALLS_FDS];
	uint8_t makes; /* 1: it returns a descriptor */
	uint8_t skip;  /* 1: its calls are not reported */
};
struct calls_state {
	struct numbers numbers;
	uint64_t lost; /* calls that had no room in the ring */
	struct calls_command command[CALLS_COMMANDS];
};
