/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The recordings of one machine in a directory, for example the files of `record --max-files`: finds the one that
 * covers a moment. Other files are left out.
 */
struct box_place {
	const char *path; /* of the recording */
	const char *at;	  /* the moment, for source_at() */
};
/*
 * @when: as of source_at(), but the present is the end of the last recording, and seconds are from the beginning of the
 * first. @folder is for messages; it has the files @paths. In the arena. 0, or -errno with a message: there are no
 * recordings, they are of several machines, or none of them covers the moment.
 */
int box_find(const char *folder, const char *const *paths, size_t n, const char *when, struct arena *a,
	     struct box_place *ret, struct err *e);
