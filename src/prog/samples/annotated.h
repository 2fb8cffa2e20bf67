/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "code/heat.h"
#include "code/jited.h"
#include "code/xlated.h"
#include "prog/prog.h"
#include "source/samples.h"

struct code_index;
/* The code of a program and its samples, of the running kernel or a recording. Lives in env->arena. */
struct annotated {
	struct env *env;
	struct prog_rec rec;
	struct jited jited;   /* image.p NULL: translated code is shown instead */
	struct xlated xlated; /* set in that case, and for a graph */
	struct samples_head how;
	struct heat heat;
	struct code_index *index; /* of a recording; NULL: of the running kernel */
};
/* Begins without samples; rec and the code were read. @linum: lines are also told apart by their columns. */
void annotated_begin(struct annotated *a, bool linum);
/* A sampling_handler and samples_handler; @ctx: struct annotated. */
void annotated_add(void *ctx, const struct sample *s);
/* Adds the samples of a recording, or with @perf those that perf_samples_use() has found for it. 0 or -errno. */
int annotated_read_samples(struct annotated *a, bool perf, struct err *e);
/* Sets why no sample can be of the program. False: its addresses are known. */
bool annotated_has_no_place(const struct annotated *a, struct err *ret);
/* Writes the translated code with samples beside it; scratch memory is in @scratch. */
void annotated_write_xlated(const struct annotated *a, const struct xlated_style *style, struct arena *scratch,
			    struct doc *d);
