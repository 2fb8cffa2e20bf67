/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "kernel/object.h"

struct str;
struct own;

/* Kind of an entry for a process that could not be read, or not completely; its id is the errno. */
#define HOLDER_UNSEEN OBJECT_KINDS

struct holder_raw {	   /* answers about holders are arrays of it */
	uint32_t kind, id; /* enum object_kind, or HOLDER_UNSEEN */
	uint32_t pid, pad; /* thread group */
	uint64_t cookie;   /* bpf_cookie of a perf_event link, else 0 */
	char comm[16];	   /* of the group leader; not terminated if full */
};

/* One object, and a descriptor of it. */
struct holders_of {
	enum object_kind kind;
	uint32_t id;
	int fd;
};
/*
 * An iterator of tasks that reads their descriptor tables (since Linux 5.17), or an iterator of files (since 5.8),
 * which loads faster and needs more time for each file.
 */
enum holders_way { HOLDERS_BY_TASKS, HOLDERS_BY_FILES, HOLDERS_WAYS };
#define HOLDERS_MANY 15000 /* number of files from which the first is faster */
/*
 * Run that iterator over all descriptors, and append a struct holder_raw for each holder of the object; @of NULL: of
 * any object. 0, or -errno with @ret unchanged.
 */
int holders_by(struct own *own, enum holders_way way, const struct holders_of *of, struct str *ret);
/* The same with the iterator that is faster for so many files, or else the other one. */
int holders_by_iterator(struct own *own, const struct holders_of *of, uint64_t files, struct str *ret);
