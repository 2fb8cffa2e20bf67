/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_HOLDERS_BPF_H
#define OWN_HOLDERS_BPF_H

#include <stdint.h>

#include "own/holders.h"

/* What holders*.bpf.c and holders.c tell each other. Kinds are those of enum object_kind. */
#define HOLDERS_KINDS 4
#define HOLDERS_CHUNK 64 /* descriptors that are looked at together: bits of a long in their bitmap */
#define HOLDERS_ROOM 1024

struct holders_state {	       /* the program's variables */
	uint32_t learning;     /* 1: fill release[] or object from the reader's own descriptors; 0: tell the others' */
	int fd[HOLDERS_KINDS]; /* of each kind, in the reading process */
	uint32_t id_at[HOLDERS_KINDS];	 /* where its id is */
	uint64_t release[HOLDERS_KINDS]; /* file_operations.release of each kind; 0: not seen */
	uint64_t object; /* address of the only object that counts, of which fd[only] is a descriptor; 0: not seen */
	/* What the program read last, for the next file is often alike: of these operations, of this process. */
	uint64_t last_f_op, last_release;
	uint32_t last_tgid, last_pid;
	char last_comm[16];
	/* Of holders_tasks.bpf.c only, whose words have to be taken from here each time that it stops. */
	uint64_t stopped;    /* address of the task at which there was no more room; 0: none */
	uint32_t stopped_at; /* its descriptor that comes next */
	uint32_t count;	     /* of out[] */
	uint64_t files[HOLDERS_CHUNK];
	struct holder_raw out[HOLDERS_ROOM];
};

#endif
