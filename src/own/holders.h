/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_HOLDERS_H
#define OWN_HOLDERS_H

#include <stdint.h>

#include "kernel/object.h"

struct str;
struct own;

/* The kind of an entry for a process that could not be looked at, or not whole; its id is the errno. */
#define HOLDER_UNSEEN OBJECT_KINDS

struct holder_raw {	   /* the answers about holders are arrays of these */
	uint32_t kind, id; /* enum object_kind, or HOLDER_UNSEEN */
	uint32_t pid, pad; /* thread group */
	uint64_t cookie;   /* bpf_cookie of a perf_event link, else 0 */
	char comm[16];	   /* of the group leader; not terminated if full */
};

/* One object, of which the caller has a descriptor. */
struct holders_of {
	enum object_kind kind;
	uint32_t id;
	int fd;
};
/*
 * An iterator of tasks that goes through their tables (5.17), or one of files (5.8), which is loaded in less time and
 * takes longer for each file.
 */
enum holders_way { HOLDERS_BY_TASKS, HOLDERS_BY_FILES, HOLDERS_WAYS };
#define HOLDERS_MANY 15000 /* files from which on the first is the better one */
/*
 * One pass of that iterator over all descriptors: appends struct holder_raw, of that object only; @of NULL: of all. 0
 * or -errno, then
 * @ret is as before.
 */
int holders_by(struct own *own, enum holders_way way, const struct holders_of *of, struct str *ret);
/* The better one of those that there are, for so many files. */
int holders_by_iterator(struct own *own, const struct holders_of *of, uint64_t files, struct str *ret);

#endif
