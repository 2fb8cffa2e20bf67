/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PERF_READ_H
#define PERF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;
struct err;
struct link_rec;
/*
 * Inside the folder: events that run a program, as descriptors of processes and as links. The kernel tells of a
 * descriptor which program runs at what, of a link as well, but not that one is the other's: they are matched by
 * program and place, counted, so that of two descriptors at the same place one link covers one.
 */
struct perf_rec {
	uint32_t pid, fd, prog_id, link_id;			 /* link_id 0: none, or not known which */
	uint8_t has_pid, has_fd, has_prog, has_offset, has_addr; /* enum avail */
	bool silent;		  /* a perf event of which the kernel does not tell what it runs */
	bool covered;		  /* a descriptor that a link stands for, or a link that a descriptor stands for */
	struct perf_rec *first;	  /* the descriptor before it that is the same open file; NULL: there is none */
	const char *comm;	  /* of the process; NULL: unknown */
	const char *type, *where; /* never NULL */
	const char *tracepoint, *func, *filename, *event, *functions; /* NULL, but for what the type has */
	uint64_t offset, addr, cookie;
	const struct link_rec *link; /* of a link; NULL: a descriptor */
	const char *symbol, *prog_name, *prog_type;
};

struct perf_set {
	struct perf_rec *fds, *links; /* by pid and fd; by id. In env->keep */
	size_t nfds, nlinks;
};
/* @link_types: bit mask of ABI_LINK_*. A refusal to tell of descriptors is a failure, *ret then has the links all the
 * same. */
int perf_read(struct env *env, uint32_t link_types, struct perf_set *ret, struct err *e);

/* Is it known where it runs? */
static inline bool perf_has_place(const struct perf_rec *r)
{
	return r->tracepoint || r->func || r->filename || r->event || r->functions || r->has_addr;
}

/* For perf_read(): links and descriptors that are the same. */
void perf_match(struct env *env, struct perf_set *set);

/* What fields with a need cost (NEED_PROG, NEED_SYMBOLS). */
void perf_describe(struct env *env, unsigned need, struct perf_rec *recs, size_t n);

#endif
