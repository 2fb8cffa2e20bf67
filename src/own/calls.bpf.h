/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_CALLS_BPF_H
#define OWN_CALLS_BPF_H

#include <stdint.h>

/* What calls_*.bpf.c tell of each bpf(2) that ended, and what they are told of its commands. */
#define CALLS_ATTR 256u /* bytes of union bpf_attr */
#define CALLS_TEXT 128u
#define CALLS_FDS 4u /* members of one command that are descriptors */
#define CALLS_COMMANDS 64u

struct calls_object {
	uint32_t kind; /* enum object_kind + 1; 0: no BPF object */
	uint32_t id;
};
struct calls_record {
	uint64_t begin, end; /* ns, CLOCK_BOOTTIME */
	int64_t result;
	uint32_t pid, tid; /* as the reader has them; 0: not in its process namespace */
	uint32_t cmd;
	uint32_t size; /* of the attributes, as the caller says */
	uint32_t got;  /* bytes of them in attr; the others are zero */
	uint32_t pad;
	struct calls_object made; /* the descriptor that it returned */
	struct calls_object object[CALLS_FDS];
	char comm[16];			/* of the thread */
	char text[CALLS_TEXT];		/* what a member points to, cut if it has no NUL */
	unsigned char attr[CALLS_ATTR]; /* at the call's end: the kernel may have written to it */
};
/* Where members are: offset + 1, 0: nowhere. */
struct calls_command {
	uint8_t text, fd[CALLS_FDS];
	uint8_t makes; /* it returns a descriptor */
};
struct calls_state {
	uint64_t namespace; /* the reader's process namespace and how deep it is */
	uint32_t level, pad;
	uint64_t lost; /* calls that there was no room for */
	struct calls_command command[CALLS_COMMANDS];
};

#endif
