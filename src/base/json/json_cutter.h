/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Cut a stream into values without parsing them: the elements of one top-level array, or else values that follow each
 * other (NDJSON). Needs memory for the longest element and a chunk. Only brackets and quotes are checked; other errors
 * are left for jsonr to find.
 */
#define JSON_ELEMENT_MAX (64u << 20)
struct json_cutter {
	int fd;		  /* borrowed */
	const char *what; /* the file's name, for messages */
	size_t max;	  /* most bytes of an element; 0: JSON_ELEMENT_MAX */
	/* private */
	struct str buf;
	size_t from, at;   /* start of the element, and where the search for its end continues */
	uint64_t gone;	   /* bytes before buf */
	uint64_t elements; /* cut so far */
	bool eof, array, begun, ended;
};
void json_cutter_init(struct json_cutter *c, int fd, const char *what);
void json_cutter_release(struct json_cutter *c);
/* 1: an element, valid until the next call; 0: the end; -errno with a message that names file and position. */
int json_cutter_next(struct json_cutter *c, const char **ret, size_t *ret_n, struct err *e);
