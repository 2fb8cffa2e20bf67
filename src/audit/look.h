/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef AUDIT_LOOK_H
#define AUDIT_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relate/graph.h"
#include "source/counted.h"

struct env;
struct err;
struct prog_rec;
/* Inside the folder: what one look at a machine found. */
struct finding {
	const char *finding;	 /* a word for its sort */
	const char *kind;	 /* of the object: "prog"; "code": machine code that is of none */
	uint64_t id;		 /* of the object, of code its address */
	const char *type, *name; /* NULL: not known */
	const uint8_t *tag;	 /* of a program; NULL: not known */
	const char *why;	 /* a sentence */
	const char **seen_by;	 /* who has it all the same */
	uint32_t nseen_by;
	bool sure; /* also after a single look; else it may have come or gone meanwhile */
};
struct findings {
	struct finding *v;
	size_t n, cap;
};
struct look {
	struct env *env;
	struct graph g;
	struct counted counted;
	bool counts;	       /* counted has an answer */
	struct findings found; /* in env->keep */
	struct findings code;  /* that no program has: several looks tell whether it was only new, or about to go */
};
struct finding *findings_add(struct findings *f, struct env *env); /* zeroed */
/* Zeroed, but for what the object at the node tells of itself. */
struct finding *finding_add(struct look *l, const char *word, const struct graph_node *n);

/* Asks, in the order that tells most, and compares all ways of counting. */
int look_read(struct env *env, struct look *ret, struct err *e);
/* Of @a those that are in @b, too. */
void findings_keep(struct findings *a, const struct findings *b);

/* Objects that one way of counting has and another has not. */
void sights_compare(struct look *l);
/* Programs whose code has no symbol, and code that no program has. */
void code_compare(struct look *l);
/* Of the running machine: keeps what is there in all of several more looks. A program that is loaded again and again
 * may have the same place. */
void code_confirm(struct env *env, struct findings *code);

/* Programs that call what reaches beyond them, and that run where the kernel is asked what there is: of one look, for
 * they stay what they are. */
void helpers_find(struct look *l);
void places_find(struct look *l);
/* Programs that run, and whoever loaded them is not there any more; none where not all could be looked at. */
void loaders_find(struct look *l);

#define KEY(kind, id) ((uint64_t)(kind) << 32 | (id))

#endif
