/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in facts.c. */

#include "source/facts.h"
#include "source/machine.h"

/* The internals of struct facts, shared by facts*.c only. */

struct limit {
	struct limit *next;
	const char *name;
	int64_t value;
};

struct facts {
	struct arena *arena;
	struct holders *holders;
	int holders_error;
	struct { /* facts_holders_expect() */
		bool expected, known;
		enum object_kind kind;
		uint32_t id;
		struct holders *holders; /* NULL: refused, or not asked for yet */
	} one;
	struct pins *pins; /* facts_pins.c; NULL: not asked for yet */
	struct symbols *symbols;
	struct hash *task_places; /* task_place.c, by pid; NULL: none was asked for yet */
	struct hash *known;	  /* of single symbols, by address */
	bool call_base_known;
	uint64_t call_base;
	struct hash *ifaces, *cgroups, *pmus, *map_counts; /* of names, of numbers as text */
	bool boot_known, cpus_known, netns_known, netns_there, limits_known;
	uint64_t boot_ns, netns_dev, netns_ino;
	uint32_t cpus, *cpu_numbers;
	struct lives *lives; /* lives.c; NULL: not asked for yet */
	struct codes *codes; /* codes.c; NULL: not asked for yet */
	struct pokes *pokes; /* codes.c; NULL: not asked for yet */
	struct limit *limits;
	int limits_error;
};

/*
 * The lines of an answer, in the arena of the facts; "" if it was refused, which the machine has noted. @ret_err may be
 * NULL.
 */
char *facts_lines(struct machine *m, enum question q, int *ret_err);
/* Takes the next word, up to @end or the end of the text, from *p; NULL: none. */
char *facts_cut(char **p, char end);
