/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/owner.h"
#include "cli/place.h"
#include "cli/records.h"
#include "record/field.h"

/* All attachments of all places, for `ls`, `attach`, `detach` and the graph. */
struct ls_rec {
	struct attachment a;
	const char *place;
	const char *name, *map_name; /* of the program, without one of the map; of the map */
	const char *type, *owner;
	struct ls_prog {	/* what the kernel reports about the program */
		uint64_t since; /* seconds since the epoch */
		uint64_t run_cnt, run_time_ns;
		uint32_t uid;
		uint8_t tag[8];
		uint8_t has_tag, has_uid, has_since, has_stats; /* enum avail */
	} prog;
	const struct holder *holders;
	const uint32_t *under; /* programs that run it */
	uint32_t nholders, nunder;
	uint32_t nevents; /* perf events of the same process and program at that place; 0: only this one */
	struct holder_places places;
	uint8_t has_prog, has_owner, has_fd, has_under; /* enum avail */
};
extern const struct schema ls_schema;
static inline struct ls_rec *ls_at(const struct records *r, size_t i)
{
	return (struct ls_rec *)(r->rec + i * r->s->rec_size);
}
/*
 * Add a struct ls_rec for each attachment; ret->s is ls_schema. For places that cannot be listed: report_unread().
 * -EPERM: no place can be listed without more privilege.
 */
int ls_list(struct env *env, struct records *ret, struct err *e);
/* Fill in what recs->need requires. */
void ls_describe(struct env *env, struct records *recs);
/* Fill in only the programs that run each one (NEED_JOIN). */
void ls_nest(struct env *env, struct records *recs);

/*
 * Which attachments run under which program: programs that replace or trace one of its functions, or that it calls as
 * tails; by id of the program.
 */
struct ls_under {
	struct hash below;    /* of struct ls_list */
	struct hash attached; /* not NULL for programs that are attached themselves */
};
struct ls_list {
	uint32_t *i; /* indexes of records, ascending */
	size_t n, cap;
};
/* After ls_nest(); valid as long as the records are not moved; in env->keep. */
void ls_under_read(struct env *env, const struct records *recs, struct ls_under *ret);
