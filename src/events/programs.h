/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct sideband_record;
struct event_rec;
struct env;
/*
 * Loads and unloads of programs. The kernel reports each in several records: the machine code of the functions, then
 * the program. The type of a program is not in the records: it is asked for while the program is loaded, and kept until
 * its unload.
 */
#define PROGRAMS_NAME 512 /* KSYM_NAME_LEN of the newest kernels */
#define PROGRAMS_THREADS 64
struct programs {
	struct env *env;
	struct program_code { /* functions of one load or unload so far, by the thread that does it */
		bool used, gone;
		uint32_t tid;
		uint32_t functions;
		uint64_t bytes;
		char symbol[PROGRAMS_NAME];
	} code[PROGRAMS_THREADS];
	unsigned next;	       /* element of code to reuse if all are in use */
	struct program_known { /* loaded programs, by id */
		uint32_t id;
		int64_t type;	/* -1: unloaded before it could be asked for */
		uint64_t since; /* ns, CLOCK_BOOTTIME */
		bool printed;	/* its load was shown, so its unload will be */
	} * known;
	size_t n, cap;
};
/* Reads the programs that are loaded now; call it after side-band events were enabled. */
int programs_init(struct programs *p, struct env *env, struct err *e);
void programs_release(struct programs *p);
/* Adds the type and load time of a program as they are known from a call. */
void programs_learn(struct programs *p, uint32_t id, uint32_t type, uint64_t since);
/* Sets the type in @ret if it is known by now. */
void programs_type(const struct programs *p, uint32_t id, struct event_rec *ret);
void programs_mark_printed(struct programs *p, uint32_t id); /* its load was shown */
/* True: the record completes an event; @ret has all of it except time and process. */
bool programs_note(struct programs *p, const struct sideband_record *r, struct event_rec *ret);
