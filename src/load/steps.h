/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LOAD_STEPS_H
#define LOAD_STEPS_H

#include "cli/abbrev.h"
#include "load/load.h"

/* The steps of load_open(), a file each. */
int load_maps(struct load *l, struct err *e);	   /* reuse and resize */
int load_variables(struct load *l, struct err *e); /* set */

/* libbpf itself pins maps that say so (LIBBPF_PIN_BY_NAME), or takes those that are there: which of them are. */
void load_maps_note(struct load *l);

/* loader.c: q.loader. Could it be done? Do it; close what it opened. */
int load_loader_check(const struct load *l, struct err *e);
int load_loader_load(struct load *l, struct err *e);
void load_loader_close(struct load *l);

/* The sentence for a program (NULL: which one is not known) that the verifier rejected, and why, in env->report;
 * returns @err. */
int load_explain(struct load *l, const struct load_prog *p, const char *log, int err, struct err *e);

int load_explain_library(struct load *l, int err, struct err *e); /* the same for what libbpf did not take */

/*
 * What the kernel has in place of what a CO-RE relocation asks for, by libbpf's sentence about it; in env->keep. NULL:
 * the sentence is another one, or it cannot be found out.
 */
const char *load_core_missing(const struct load *l, const char *message);

/* What there is of a sort in the file, for who named something else. */
struct load_names {
	struct word *word;
	size_t n, cap;
};
void load_names_add(struct load_names *names, const char *name);
/* "x.bpf.o has no map 'flow'", with what is near, or with all there are. -ENOENT. Releases @names. */
int load_unknown(const struct load *l, const char *what, const char *name, struct load_names *names, struct err *e);

#endif
