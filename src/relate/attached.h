/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RELATE_ATTACHED_H
#define RELATE_ATTACHED_H

#include "base/hash.h"
#include "cli/owner.h"
#include "cli/place.h"
#include "cli/records.h"
#include "record/field.h"

struct env;
struct err;
/* All attachments of all places, for `ls`, `attach`, `detach` and the graph. */
struct ls_rec {
	struct attachment a;
	const char *place;
	const char *name, *map_name; /* of what runs; the second only of a map */
	const char *type, *owner;
	struct ls_prog {	/* what the kernel tells of the program */
		uint64_t since; /* seconds since the epoch */
		uint64_t run_cnt, run_time_ns;
		uint32_t uid;
		uint8_t tag[8];
		uint8_t has_tag, has_uid, has_since, has_stats; /* enum avail */
	} prog;
	const struct holder *holders;
	const uint32_t *under; /* programs that run it */
	uint32_t nholders, nunder;
	struct holder_places places;
	uint8_t has_prog, has_owner, has_fd, has_under; /* enum avail */
};
extern const struct schema ls_schema;
static inline struct ls_rec *ls_at(const struct records *r, size_t i)
{
	return (struct ls_rec *)(r->rec + i * r->s->rec_size);
}
/*
 * Adds a struct ls_rec for each; ret->s is ls_schema. A place that cannot be listed: report_unread(). -EPERM: nothing
 * can be seen by who may see so little.
 */
int ls_list(struct env *env, struct records *ret, struct err *e);
/* Fills in what recs->need asks for. */
void ls_describe(struct env *env, struct records *recs);
/* The same of what runs them alone (NEED_JOIN). */
void ls_nest(struct env *env, struct records *recs);

/* Which attachments run under which: those that a program replaces, traces or calls as its tails; by id of a program.
 */
struct ls_under {
	struct hash below;    /* of struct ls_list */
	struct hash attached; /* something, of programs that run themselves somewhere */
};
struct ls_list {
	uint32_t *i; /* numbers of records, ascending */
	size_t n, cap;
};
/* After ls_nest(), as long as the records stay where they are; in env->keep. */
void ls_under_read(struct env *env, const struct records *recs, struct ls_under *ret);

#endif
