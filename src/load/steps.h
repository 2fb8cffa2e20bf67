/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in core.c, explain.c, load.c, maps.c, slots.c and variables.c. */

#include "cli/abbrev.h"
#include "load/load.h"

/* The steps of load_open(), each in its own file. */
int load_maps(struct load *l, struct err *e);	   /* reuse and resize */
int load_variables(struct load *l, struct err *e); /* set */
/*
 * Note which maps the file fills. -EINVAL if it fills a slot of a prog_array with a program that is not loaded: libbpf
 * has no descriptor for it.
 */
int load_slots_check(struct load *l, struct err *e);

/* libbpf itself pins maps with LIBBPF_PIN_BY_NAME, or reuses existing pins. Note which maps exist already, in
 * load_map.was. */
int load_maps_note(struct load *l, struct err *e);

/* loader.c, for q.loader: check whether a loader can load it, load it, close what it opened. */
int load_loader_check(const struct load *l, struct err *e);
int load_loader_load(struct load *l, struct err *e);
void load_loader_close(struct load *l);

/* Set @e for program @p (NULL: unknown) that the verifier rejected, with the reason in env->report. Returns @err. */
int load_explain(struct load *l, const struct load_prog *p, const char *log, int err, struct err *e);

/* Print the log of @p (NULL: unknown) as libbpf does with -d. */
void load_log_print(const struct load_prog *p, const char *log);
int load_explain_library(struct load *l, int err, struct err *e); /* the same for errors of libbpf */

/*
 * What the kernel has instead of what a CO-RE relocation asks for, by libbpf's message about it; in env->keep. NULL:
 * the message is another one, or the file or the types cannot be read.
 */
const char *load_core_missing(const struct load *l, const char *message);

/* Note that the file @has what @word names (load_request.found). False: it must have it, and does not. */
bool load_has(const struct load *l, bool has, const void *word);
/* The names of one kind in the file, for a hint after an unknown name. */
struct load_names {
	struct word *word;
	size_t n, cap;
};
void load_names_add(struct load_names *names, const char *name);
/* "x.bpf.o has no map 'flow'", with a hint that names a similar one, or all. Returns -ENOENT, frees @names. */
int load_unknown(const struct load *l, const char *what, const char *name, struct load_names *names, struct err *e);
