/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RELATE_PICTURE_H
#define RELATE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct graph;
struct arena;
struct out;
/* What of a graph is drawn: its parts are those of graph_needless() and graph_folds(). */
struct picture_of {
	const struct graph *g;
	struct arena *a;
	const bool *needless;
	const uint32_t *fold, *at; /* by node: the link that stands for it; by link: what it stands for */
	const uint32_t *order;	   /* nodes by component */
};
/*
 * Components as SVG, where Graphviz is installed, which says where things lie. It is given numbers and sizes alone:
 * what names say is written by us, as text.
 */
struct pictures {
	struct picture_of of;
	struct str text;  /* what Graphviz wrote */
	const char *next; /* of the component that is drawn next; NULL: no more */
};
/* Components that are drawn, and no others: of so many nodes. */
bool picture_is_due(uint32_t nodes);
/* All of them in one run; @end: by component, where its nodes end. Nothing is drawn where that fails. */
void pictures_begin(struct pictures *p, const struct picture_of *of, const uint32_t *end, uint32_t components);
/* The next of those that are due. */
void pictures_put(struct pictures *p, const uint32_t *node, uint32_t n, struct out *o);
void pictures_end(struct pictures *p);

#endif
