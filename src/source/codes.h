/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/source.h"

struct life;
struct machine;
/*
 * Machine code in a recording that belongs to no program in it: trampolines, dispatchers, pages of probes, classic
 * filters, functions of programs that were unloaded before they were copied. The answer to sys/code; the code itself is
 * code/#.
 */
struct code {
	uint64_t addr;
	uint32_t len;	  /* bytes */
	uint64_t from;	  /* ns since boot; 0: before the recording began */
	bool gone;	  /* before the recording ended */
	uint64_t gone_at; /* ns since boot; 0: unknown, or not gone */
	uint32_t prog;	  /* id of its program; 0: none */
	uint32_t pid;	  /* of the process that made it, in the recorder's process namespace; 0: unknown */
	bool has_text;	  /* the machine code is in the file: */
	uint32_t text;	  /* code/TEXT */
	const char *comm; /* of that process; NULL: unknown */
	const char *name; /* the kernel's symbol; for a classic filter, which has none, "classic:socket" and similar */
};
struct codes {
	struct code *code; /* in the order recorded */
	size_t n;
};
/* Appends a line. codes_parse() reads the lines, into the arena: 0, or -EBADMSG for a line that cannot be parsed. */
void codes_put(struct str *ret, const struct code *c);
int codes_parse(struct codes *ret, const struct blob *b, struct arena *a);

/* Empty unless the machine is a recording. Lives as long as the machine. */
const struct codes *facts_codes(struct machine *m);

/*
 * How machine code changed during a recording, to know what it was at a moment: slots of prog_arrays, replaced
 * functions, programs at the entry of others, dispatchers. The answer to pokes/#, pieces numbered from 0.
 */
struct poke {
	uint64_t time;	/* ns since boot: from then on the bytes are @now */
	uint64_t since; /* until then they were @old; less than @time if the kernel did not announce the change */
	uint64_t addr;
	uint32_t len; /* bytes; 0: other code appeared at @addr, and earlier changes are not of this code */
	const unsigned char *old, *now;
};
struct pokes {
	bool known;	/* false: the file does not have it */
	bool silent;	/* the kernel does not announce changes */
	uint64_t lost;	/* ns since boot: from then on, announcements may be missing; 0: none are */
	struct poke *v; /* ascending by address, and then by time */
	size_t n, cap;
};

/* Append a line each. */
void pokes_put_head(struct str *ret, bool silent);
void pokes_put_lost(struct str *ret, uint64_t time);
void pokes_put(struct str *ret, const struct poke *c);
/* Add the lines of a piece, in the arena; unsorted. 0; -EBADMSG: a line that cannot be parsed. */
int pokes_parse(struct pokes *ret, const struct blob *piece, struct arena *a);
/* All pieces of a source. 0 also if it has none (@known); or -errno. */
int pokes_read(struct source *s, struct arena *a, struct pokes *ret);
/* Lives as long as the machine; what is refused or damaged is noted. */
const struct pokes *facts_pokes(struct machine *m);

/* Code that was at an address: of a function, or a piece that belongs to no program. */
struct poke_place {
	uint64_t addr;
	size_t n;	   /* bytes */
	uint64_t from, to; /* its life, ns since boot; to 0: unknown, or it is still there */
};
/*
 * The moments at which it changed, or at which it becomes uncertain or certain, ascending, without duplicates, in the
 * arena.
 */
const uint64_t *pokes_moments(const struct pokes *t, const struct poke_place *p, struct arena *a, size_t *ret_n);
/*
 * Set the bytes at @code, p->n of this place as they were read at any time, to those at @time. @code NULL: only the
 * result is wanted: NULL, or why they are uncertain: the end of a sentence.
 */
const char *pokes_then(const struct pokes *t, const struct poke_place *p, uint64_t time, unsigned char *code);
/*
 * The same for a program's machine code, @n bytes, whose functions are at the addresses @ksyms (uint64_t), of the
 * lengths @lens (uint32_t). @l NULL: its life is unknown.
 */
struct poke_funcs {
	struct blob ksyms, lens;
	const struct life *life;
	size_t n;
};
const char *pokes_then_prog(const struct pokes *t, const struct poke_funcs *f, uint64_t time, unsigned char *code);
/* Function @i, and where it begins in the code. False: no more. */
bool poke_func(const struct poke_funcs *f, size_t i, struct poke_place *ret, size_t *off);
