/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "prog/samples/annotated.h"
#include "top/live.h"

/* The code of one program with samples beside it: of all CPUs while it is shown, or those of a recording. */
struct sampled {
	uint32_t id;	/* 0: none is shown */
	struct err why; /* code not 0: there are no samples, or no code */
	bool has_code;
	struct env env;
	struct report report;
	struct annotated code;
	struct sampling *sampling; /* NULL: not, or no longer */
};
/* Writes it with the samples so far. Another program than the last time begins again. What is missing is said. */
void sampled_draw(struct sampled *s, struct top *t, uint32_t id, struct out *o);
/* Ends sampling and forgets the program, if there is one. */
void sampled_end(struct sampled *s);
