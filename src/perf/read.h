/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in describe.c, guess.c and match.c. */

#include "base/base.h"

struct env;
struct link_rec;
/*
 * Inside the folder: events that run a program, as descriptors of processes and as links. The kernel reports program
 * and place for a descriptor and for a link, but not which link belongs to which descriptor: they are matched by
 * program and place, one to one, so that one link covers one of two descriptors at the same place.
 */
struct perf_rec {
	uint32_t pid, fd, prog_id, link_id;			 /* link_id 0: none, or not known which */
	uint8_t has_pid, has_fd, has_prog, has_offset, has_addr; /* enum avail */
	/* A perf event for which the kernel does not report the program: prog_id is the only one that it can be, or 0.
	 */
	bool silent;
	bool covered;		  /* a descriptor that is matched with a link, or a link with a descriptor */
	struct perf_rec *first;	  /* an earlier descriptor of the same open file; NULL: there is none */
	const char *comm;	  /* of the process; NULL: unknown */
	const char *type, *where; /* never NULL */
	const char *tracepoint, *func, *filename, *event, *functions; /* NULL if the type does not have it */
	uint64_t offset, addr, cookie;
	const struct link_rec *link; /* NULL: the record is a descriptor */
	uint32_t nevents;	     /* events of the same process and program at that place; 0: only this one */
	const char *symbol, *prog_name, *prog_type;
	const char *file; /* filename, as link_func_at() says where that file is; NULL: not asked */
};

struct perf_set {
	struct perf_rec *fds, *links; /* by pid and fd; by id. In env->keep */
	size_t nfds, nlinks;
};
/* @link_types: bit mask of ABI_LINK_*. Fails if descriptors cannot be read; *ret then still has the links. */
int perf_read(struct env *env, uint32_t link_types, struct perf_set *ret, struct err *e);

/* Is the place known? */
static inline bool perf_has_place(const struct perf_rec *r)
{
	return r->tracepoint || r->func || r->filename || r->event || r->functions || r->has_addr;
}

/* For perf_read(): matches links with descriptors. */
void perf_match(struct env *env, struct perf_set *set);
/*
 * For perf_read(), after perf_match(): sets the program of silent events without a link, where their process holds only
 * one program that they can run.
 */
void perf_guess(struct env *env, struct perf_set *set);

/* Fills the fields that @need asks for: NEED_PROG, NEED_SYMBOLS. */
void perf_describe(struct env *env, unsigned need, struct perf_rec *recs, size_t n);
