/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "own/numbers.h"

/* What calls_*.bpf.c report about each finished bpf(2), and what they need to know about its commands. */
#define CALLS_ATTR 256u /* most bytes of union bpf_attr in a record */
#define CALLS_KEY 1024u
#define CALLS_VALUE 16384u /* most bytes of an element in a record; longer keys and values are not copied */
#define CALLS_TEXT 128u
#define CALLS_FLAGS_AT 24  /* of the flags in the attributes of a command with a key and a value */
#define CALLS_ONE_CPU 0x18 /* BPF_F_CPU, BPF_F_ALL_CPUS: the value is that of one CPU */
#define CALLS_FDS 4u	   /* most members of one command that are descriptors */
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
	/* Of a map's element: the key, then the value or the next key, follow the record. 0: the call has none, or it
	 * could not be copied. */
	uint32_t key_bytes, value_bytes;
};
struct calls_elem {
	struct calls_record call;
	unsigned char bytes[CALLS_KEY + CALLS_VALUE];
};
/* Offsets of members of union bpf_attr, plus 1; 0: no such member. */
struct calls_command {
	uint8_t text, fd[CALLS_FDS];
	uint8_t makes; /* 1: it returns a descriptor */
	uint8_t skip;  /* 1: its calls are not reported */
	uint8_t key;   /* key and value of one element of a map */
	uint8_t value, next_key;
	uint8_t answers; /* 1: the value is written by the kernel if the call succeeds */
	uint8_t map_id;
};
/* The map whose calls are reported, with keys and values. */
struct calls_map {
	uint32_t id; /* 0: all calls, without keys and values */
	uint32_t key_size;
	uint32_t value_size, value_bytes; /* of one value, and as the kernel copies it: for all CPUs */
	uint32_t holds_fds;		  /* 1: values are descriptors when they are written */
	uint32_t asks_values;		  /* 1: of a bloom filter, values are looked up */
};
struct calls_state {
	struct numbers numbers;
	uint64_t lost; /* calls that had no room in the ring */
	struct calls_map map;
	struct calls_command command[CALLS_COMMANDS];
};
