/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ALL_LS_H
#define ALL_LS_H

#include "cli/place.h"
#include "cli/records.h"

/* All attachments of all places, for `ls`, `attach` and `detach`. */
struct ls_rec {
	struct attachment a;		/* first: the places' lists know nothing else */
	const char *place;
	const char *name, *type, *owner;
	uint64_t since;			/* seconds since the epoch */
	const struct holder *holders;
	uint32_t nholders;
	uint8_t has_prog, has_since, has_fd;	/* enum avail */
};
extern const struct schema ls_schema;
/* Adds a struct ls_rec for each that fits all @words; ret->s is ls_schema. A place that cannot be listed: env_unread(). */
int ls_collect(struct env *env, const struct arg_list *words, struct records *ret, struct err *e);

#endif
