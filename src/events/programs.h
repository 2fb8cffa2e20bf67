/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EVENTS_PROGRAMS_H
#define EVENTS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sideband_record;
struct event_rec;
struct env;
struct err;
/*
 * Loads and unloads of programs, made of what the kernel announces one by one: machine code of functions, then the
 * program. What a program's type is, it does not announce: asked for while the program is there, and kept until it
 * goes.
 */
#define PROGRAMS_NAME 512 /* KSYM_NAME_LEN of the newest kernels */
#define PROGRAMS_THREADS 64
struct programs {
	struct env *env;
	struct program_code { /* of one load or unload that is being announced */
		bool used, gone;
		uint32_t tid;
		uint32_t functions;
		uint64_t bytes;
		char symbol[PROGRAMS_NAME];
	} code[PROGRAMS_THREADS];
	unsigned next;	       /* that is given up if all are in use */
	struct program_known { /* what is loaded, by id */
		uint32_t id;
		int64_t type;	/* -1: gone before it could be asked */
		uint64_t since; /* ns, CLOCK_BOOTTIME */
		bool told;	/* its load was told, so its unload will be */
	} * known;
	size_t n, cap;
};
/* Learns what is loaded now; side-band events are on by then. */
int programs_init(struct programs *p, struct env *env, struct err *e);
void programs_release(struct programs *p);
/* What somebody else knows of a program that is being loaded, or was. */
void programs_learn(struct programs *p, uint32_t id, uint32_t type, uint64_t since);
/* The type of a program that has it by now. */
void programs_type(const struct programs *p, uint32_t id, struct event_rec *ret);
void programs_told(struct programs *p, uint32_t id);
/* True: the record completes an event, in @ret: all but its time and process. */
bool programs_hear(struct programs *p, const struct sideband_record *r, struct event_rec *ret);

#endif
