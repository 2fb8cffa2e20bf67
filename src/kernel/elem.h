/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Operations on a map's descriptor. 0 (or a descriptor) or -errno. Keys and values have the map's sizes. */
int elem_lookup(int fd, const void *key, void *value, uint64_t flags);
int elem_update(int fd, const void *key, const void *value, uint64_t flags);
/*
 * BPF_MAP_UPDATE_BATCH: *count elements with BPF_ANY, from an array of keys and one of values. On failure *count is the
 * number of elements before the one that failed. If *count is unchanged, nothing was written: the kernel or the map
 * does not support batches.
 */
int elem_update_batch(int fd, const void *keys, const void *values, uint32_t *count);
int elem_delete(int fd, const void *key);
int elem_next(int fd, const void *key, void *next); /* @key NULL: the first */
int elem_pop(int fd, void *key, void *value);	    /* BPF_MAP_LOOKUP_AND_DELETE_ELEM */
int map_freeze(int fd);

struct map_attr {
	uint32_t type, key_size, value_size, max_entries, flags, ifindex;
	uint64_t extra;
	int inner_fd;	  /* -1: none */
	const char *name; /* at most 15 characters; NULL: none */
	const void *btf;  /* BTF data with the types of key and value; NULL: none */
	size_t btf_size;
	uint32_t key_type, value_type; /* 0: none */
	int token;		       /* a BPF token; <= 0: none */
};
int map_create(const struct map_attr *attr);
/* Index of a network device, by its name or number; 0: there is none. */
uint32_t device_index(const char *name);
