/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_DOC_LISTS_H
#define CLI_DOC_LISTS_H

struct env;
struct group;
struct err;

/* Markers of cli/doc.h that are no group's: each prints its list. They return 0, or what @e says. */
int doc_hooks(struct env *env, const struct group *g, struct err *e);
int doc_answers(struct env *env, const struct group *g, struct err *e);
int doc_colors(struct env *env, const struct group *g, struct err *e);
int doc_options(struct env *env, const struct group *g, struct err *e);
int doc_words(struct env *env, const struct group *g, struct err *e);
int doc_os(struct env *env, const struct group *g, struct err *e);

/* `__doc words`: the words of all groups, bpftool's apart from ours, as a table in Markdown: the README's. Returns 0.
 */
int doc_words_table(struct env *env);

#endif
