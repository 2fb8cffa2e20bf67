/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record/change.h"

struct env;
struct doc;
/* Write the change as members into a document that is being written. */
void change_fields(struct env *env, struct doc *d, const struct change_rec *c);
/* Print the only change that a command made, or would make. For SENTENCE_PLACE, missing names are looked up. */
void change_print(struct env *env, const struct change_rec *c);
/* Print several changes: a line of text for each; in JSON a list, also of one. */
void change_print_all(struct env *env, const struct change_rec *c, size_t n);
/*
 * For bpftool's verbs, which print no text on success: print the record only in JSON, and in text for a dry run. As
 * bpftool, JSON is null instead. change_is_reported(): is the record of a change printed?
 */
bool change_is_reported(const struct env *env);
void change_report(struct env *env, const struct change_rec *c);
void change_report_all(struct env *env, const struct change_rec *c, size_t n);
/* For bpftool's verbs, which print nothing: set env->report->note to "replaced program 12 (name)"; no note for program
 * 0. */
void change_note(struct env *env, const char *what, uint32_t prog_id);
