/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "record/change.h"

struct env;
struct doc;
/* The same into a document that is being written: its members. */
void change_fields(struct env *env, struct doc *d, const struct change_rec *c);
/* The one change that a command made, or would make. Names that are missing are looked up for SENTENCE_PLACE. */
void change_print(struct env *env, const struct change_rec *c);
/* Each of several: a line of text each; JSON has a list, of one too. */
void change_print_all(struct env *env, const struct change_rec *c, size_t n);
/*
 * Of bpftool's verbs, whose text says nothing when they are done: the record in JSON, unless bpftool itself was called,
 * which prints null; with dry_run in text, too. change_is_told(): there is such a record, of what is done.
 */
bool change_is_told(const struct env *env);
void change_tell(struct env *env, const struct change_rec *c);
void change_tell_all(struct env *env, const struct change_rec *c, size_t n);
/* For bpftool's verbs, which print nothing: "replaced program 12 (name)" in env->report->note; nothing for program 0.
 */
void change_note(struct env *env, const char *what, uint32_t prog_id);

#endif
