/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_REPORT_PAGE_H
#define PROG_REPORT_PAGE_H

#include <stddef.h>
#include <stdint.h>

struct code_index;
struct env;
struct err;
struct samples_head;
struct schema;
struct view;
/* What a report knows of samples, for a page. */
struct report_samples {
	const struct samples_head *how;
	const struct code_index *index;
	const uint64_t *samples; /* of each program of the index */
	uint64_t all;		 /* in programs and elsewhere */
	const struct schema *sum_schema, *row_schema;
	const void *sum;
	const struct view *view;
	const void *const *rows; /* programs, in order */
	size_t nrows;
};
/*
 * A machine on one page of HTML, to send to somebody: what it is; with @samples its programs by time, and the code of
 * those that have some, with heat; of a recording when they lived; then what is attached, programs, maps, links and
 * pins; and what could not be read.
 * @env: of the file called @name. @path: a file that is there when it is complete (base/newfile.h); NULL: standard
 * output.
 */
int report_page_write(struct env *env, const char *name, const struct report_samples *samples, const char *path,
		      struct err *e);
extern const struct schema page_schema;

#endif
