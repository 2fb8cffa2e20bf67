/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct env;
struct group;
struct err;

/* Markers of cli/doc/doc.h that do not depend on a group: each prints its list. 0, or -errno with @e set. */
int doc_hooks(struct env *env, const struct group *g, struct err *e);
int doc_answers(struct env *env, const struct group *g, struct err *e);
int doc_colors(struct env *env, const struct group *g, struct err *e);
int doc_options(struct env *env, const struct group *g, struct err *e);
int doc_words(struct env *env, const struct group *g, struct err *e);

/* `__doc words`: print the words of all groups, bpftool's and ours, as the Markdown table in README. Returns 0. */
int doc_words_table(struct env *env);
