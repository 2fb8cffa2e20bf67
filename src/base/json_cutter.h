/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_JSON_CUTTER_H
#define BASE_JSON_CUTTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct err;
/*
 * Cut a stream into values without reading them: the elements of one top-level array, or else values behind each other
 * (NDJSON). Memory is that of the longest element plus a chunk. What is cut out is whole as far as brackets and quotes
 * go; the rest is for jsonr to find.
 */
#define JSON_ELEMENT_MAX (64u << 20)
struct json_cutter {
	int fd;		  /* borrowed */
	const char *what; /* for sentences: the file's name */
	size_t max;	  /* bytes of an element, JSON_ELEMENT_MAX if 0 */
	/* inside */
	struct str buf;
	size_t from, at;   /* where the element begins, and where the search for its end goes on */
	uint64_t gone;	   /* bytes before buf */
	uint64_t elements; /* cut so far */
	bool eof, array, begun, ended;
};
void json_cutter_init(struct json_cutter *c, int fd, const char *what);
void json_cutter_release(struct json_cutter *c);
/* 1: an element, valid until the next call; 0: there are no more; -errno with a sentence that names place and file. */
int json_cutter_next(struct json_cutter *c, const char **ret, size_t *ret_n, struct err *e);

#endif
