/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/keys.h"

/*
 * Inside the folder: objects at several moments, in groups of the same kind, type and name, and the groups whose
 * number, memory or entries rise from each moment to the next.
 */
enum amount { AMOUNT_OBJECTS, AMOUNT_BYTES, AMOUNT_ENTRIES, AMOUNTS };
struct rising {
	const char *kind, *type, *name; /* "": none */
	unsigned object;		/* enum object_kind */
	/* Of its newest object at the last moment; NULL: none, or unknown. */
	const char *owner;
	const char *const *unit;
	uint32_t nunit;
	uint64_t first[AMOUNTS], last[AMOUNTS];
	bool rises[AMOUNTS]; /* more at each moment than at the one before; what is unknown does not rise */

	struct rise_row *row; /* at the present moment; NULL: none yet */
};
struct rise_row {
	struct rising *group;
	uint32_t newest; /* id */
	const char *owner;
	const char *const *unit;
	uint32_t nunit;
	uint64_t v[AMOUNTS];
	bool unknown[AMOUNTS];
};
struct rise_moment {
	uint64_t time;	  /* ns since the epoch, or since boot */
	uint64_t boot;	  /* ns since the epoch; 0: unknown */
	const char *host; /* NULL: unknown */
	unsigned lacks; /* a bit for each enum object_kind: some could not be listed or read, and no number is known */
	struct rise_row **row;
	size_t n, cap, order;
};
struct rises {
	struct arena *keep;
	struct keys found;
	struct rising **v;
	struct rise_moment *moment;
	size_t n, cap, moments, moment_cap;
	size_t left_out; /* moments before the last boot, by rises_find() */
};

void rises_init(struct rises *r, struct arena *keep);
/* Begin the next moment; they may come in any order. Valid until the next call. */
struct rise_moment *rises_moment(struct rises *r);
/* An object at the present moment; texts are copied. @unknown: by enum amount; the value is then ignored. */
struct rising_object {
	const char *kind, *type, *name; /* "": none */
	unsigned object;		/* enum object_kind */
	uint32_t id;
	const char *owner;	 /* NULL: none, or unknown */
	const char *const *unit; /* @nunit of them */
	uint32_t nunit;
	uint64_t v[AMOUNTS];
	bool unknown[AMOUNTS];
};
void rises_add(struct rises *r, const struct rising_object *o);
/*
 * Order the moments by time, leave out those before the last boot, and set first, last and rises of all groups. 0;
 * -EINVAL with a sentence: less than two moments are left, all are at the same time, or they are of several hosts.
 */
int rises_find(struct rises *r, struct err *e);
uint64_t rises_ns(const struct rises *r); /* from the first moment to the last, after rises_find() */
