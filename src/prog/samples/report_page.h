/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct code_index;
struct env;
struct samples_head;
struct schema;
struct stack_names;
struct view;
/* The samples of a report, for a page. */
struct report_samples {
	const struct samples_head *how;
	const struct code_index *index;
	struct stack_names *names;
	const uint64_t *samples; /* of each program of the index */
	uint64_t all;		 /* all samples, in programs and elsewhere */
	const struct schema *sum_schema, *row_schema;
	const void *sum;
	const struct view *view;
	const void *const *rows; /* programs, in the order of the report */
	size_t nrows;
};
/*
 * Writes a machine as a single HTML page: facts about it; with @samples, its programs by time, a flame graph, and the
 * code of programs that have samples; for a recording, the lifetimes of programs; then attachments, programs, maps,
 * links and pins; which functions ran, of programs with counters; what was saved of the contents of maps; with @all,
 * the code of all other programs; and what could not be read. @env is of the file named @name. @path: output file,
 * which appears when it is complete (base/newfile.h); NULL: standard output.
 */
int report_page_write(struct env *env, const char *name, const struct report_samples *samples, bool all,
		      const char *path, struct err *e);
