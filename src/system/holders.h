/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYSTEM_HOLDERS_H
#define SYSTEM_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str; struct err; struct arena;
/*
 * Which processes hold BPF objects open. Found with one pass of a task_file BPF iterator over all kinds; where it cannot
 * be loaded, by reading /proc/<pid>/fdinfo.
 */
enum object_kind { OBJECT_PROG, OBJECT_MAP, OBJECT_LINK, OBJECT_BTF, OBJECT_KINDS };
extern const char *const object_kind_names[OBJECT_KINDS];	/* "prog", "map", "link", "btf" */
int object_kind_parse(const char *word);			/* -1: none */

struct holder_raw {			/* the answer to sys/holders: an array of these */
	uint32_t kind, id;		/* enum object_kind */
	uint32_t pid, pad;		/* thread group */
	uint64_t cookie;		/* bpf_cookie of a perf_event link, else 0 */
	char comm[16];			/* of the group leader; not terminated if full */
};

struct holder {
	uint32_t pid;
	char comm[17];
	uint64_t cookie;
};

/*
 * Live: collect into @ret; our own descriptors are left out. *ret_way: a word for -d, "iterator" or "fdinfo"; *ret_why: the
 * -errno that kept the iterator from it, or 0.
 */
int holders_collect(struct str *ret, const char **ret_way, int *ret_why, struct err *e);

/* Decode; duplicates of one process are folded. Bytes that are no whole number of entries, or unknown kinds, are ignored. */
struct holders;
struct holders *holders_parse(const void *p, size_t n, struct arena *a);
const struct holder *holders_find(const struct holders *h, enum object_kind kind, uint32_t id, uint32_t *n);

#endif
