/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ALL_LS_H
#define ALL_LS_H

#include "cli/command.h"
#include "cli/common.h"
#include "cli/place.h"
#include "cli/records.h"
#include "record/field.h"

/* All attachments of all places, for `ls`, `attach` and `detach`. */
struct ls_rec {
	struct attachment a;
	const char *place;
	const char *name, *map_name;	/* of what runs; the second only of a map */
	const char *type, *owner;
	struct ls_prog {		/* what the kernel tells of the program */
		uint64_t since;		/* seconds since the epoch */
		uint64_t run_cnt, run_time_ns;
		uint32_t uid;
		uint8_t tag[8];
		uint8_t has_tag, has_uid, has_since, has_stats;	/* enum avail */
	} prog;
	const struct holder *holders;
	uint32_t nholders;
	struct holder_places places;
	uint8_t has_prog, has_owner, has_fd;	/* enum avail */
};
extern const struct schema ls_schema;
static inline struct ls_rec *ls_at(const struct records *r, size_t i)
{
	return (struct ls_rec *)(r->rec + i * r->s->rec_size);
}
/*
 * Adds a struct ls_rec for each; ret->s is ls_schema. A place that cannot be listed: report_unread(). -EPERM: nothing can be seen by
 * who may see so little.
 */
int ls_list(struct env *env, struct records *ret, struct err *e);
/* Each place where something runs, with what is there. In attach_offer.c. */
arg_offers ls_offer_places;
/* Fills in what recs->need asks for. */
void ls_describe(struct env *env, struct records *recs);
/*
 * Keeps those that the words are about: words about one thing (sorts of places, places, hooks, who runs) are alternatives, things
 * must all hold. What is called so; where nothing is, what has it in its name. -ENOENT with the near ones: nothing has the word. In
 * ls_words.c.
 */
int ls_choose(struct env *env, const struct arg_list *words, struct records *recs, struct err *e);
/* By sort of place and by place. */
void ls_print_tree(struct env *env, const struct records *recs);

#endif
