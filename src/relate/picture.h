/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct graph;
struct graph_folds;
/* The parts of a graph to draw, from graph_needless() and graph_fold(). */
struct picture_of {
	const struct graph *g;
	struct arena *a;
	const bool *needless;
	const struct graph_folds *folds;
	const uint32_t *order; /* nodes by component */
};
/*
 * Components as SVG, if Graphviz is installed, which computes the layout. It gets only numbers and sizes; names are
 * written by us, as text.
 */
struct pictures {
	struct picture_of of;
	struct str text;  /* the output of Graphviz */
	const char *next; /* of the next component to draw; NULL: no more */
};
/* Is a component with that number of nodes drawn? */
bool picture_is_due(uint32_t nodes);
/* Lay out all components in one run; @end: by component, the end of its nodes. If that fails, nothing is drawn. */
void pictures_begin(struct pictures *p, const struct picture_of *of, const uint32_t *end, uint32_t components);
/* Draw the next component, one for which picture_is_due(). False: it is not drawn. */
bool pictures_put(struct pictures *p, const uint32_t *node, uint32_t n, struct out *o);
void pictures_end(struct pictures *p);
