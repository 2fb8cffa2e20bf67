/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "own/holders.h"

/* What holders*.bpf.c and holders.c share. Kinds are those of enum object_kind. */
#define HOLDERS_KINDS 4
#define HOLDERS_CHUNK 64 /* descriptors read at once: the bits of a long in their bitmap */
#define HOLDERS_ROOM 1024

struct holders_state {	       /* the program's variables */
	uint32_t learning;     /* 1: set release[] or object from the reader's own descriptors; 0: report those of all
				  processes */
	int fd[HOLDERS_KINDS]; /* the reader's descriptor of each kind */
	uint32_t id_at[HOLDERS_KINDS];	 /* offset of the id in each kind's struct */
	uint64_t release[HOLDERS_KINDS]; /* file_operations.release of each kind; 0: not seen */
	uint64_t object; /* address of the only object to report, whose descriptor is fd[only]; 0: not seen */
	/* What the program read last, because the next file often has the same operations and process. */
	uint64_t last_f_op, last_release;
	uint32_t last_tgid, last_pid;
	char last_comm[16];
	/* Only of holders_tasks.bpf.c. The reader takes out[] each time the program stops. */
	uint64_t stopped;    /* address of the task at which out[] was full; 0: none */
	uint32_t stopped_at; /* the next descriptor of that task */
	uint32_t count;	     /* entries in out[] */
	uint64_t files[HOLDERS_CHUNK];
	struct holder_raw out[HOLDERS_ROOM];
};
