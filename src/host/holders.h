/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "kernel/object.h"
#include "own/holders.h"

/*
 * Which processes hold BPF objects open. Collected in one pass of a BPF iterator over all kinds; if it cannot be
 * loaded, or if there are few processes and files, by reading /proc/PID/fdinfo.
 */
struct holder {
	uint32_t pid;
	char comm[17];
	uint64_t cookie;
};

/*
 * Live: collect into @ret the holders of one object, or of all if @of is NULL; our own descriptors are left out.
 * *ret_way: a word for -d, "iterator" or "fdinfo"; *ret_why: the -errno of the iterator, or 0.
 */
int holders_collect(struct own *own, const struct holders_of *of, struct str *ret, const char **ret_way, int *ret_why,
		    struct err *e);

/* Decode; duplicates of one process are merged. An incomplete entry at the end and unknown kinds are ignored. */
struct holders;
struct holders *holders_parse(const void *p, size_t n, struct arena *a);
/* 0; or the -errno why a process could not be read: its entries are missing. */
int holders_unseen(const struct holders *h);
/* All entries, ascending by kind, id and pid: entry @i < holders_count(). */
size_t holders_count(const struct holders *h);
const struct holder *holders_at(const struct holders *h, size_t i, enum object_kind *kind, uint32_t *id);
const struct holder *holders_find(const struct holders *h, enum object_kind kind, uint32_t id, uint32_t *n);
