/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in code.c, helpers.c, loaders.c, places.c and sights.c. */

#include "relate/graph.h"
#include "source/counted.h"

/* Inside the folder: what one look at a machine found. */
struct finding {
	const char *finding;	 /* kind of finding: "hidden" */
	const char *kind;	 /* of the object: "prog"; "code": machine code without a program */
	uint64_t id;		 /* of the object; for code, the address */
	const char *type, *name; /* NULL: not known */
	const uint8_t *tag;	 /* of a program; NULL: not known */
	const char *why;	 /* what was found, as a sentence */
	const char **seen_by;	 /* lists and holders that have the object */
	uint32_t nseen_by;
	bool sure; /* a single look is enough; else the object may have come or gone meanwhile */
};
struct findings {
	struct finding *v;
	size_t n, cap;
};
struct look {
	struct env *env;
	struct graph g;
	struct counted counted;
	bool counts;	       /* counted could be read */
	struct findings found; /* in env->keep */
	struct findings
		code; /* code without a program: only several looks show whether it was new or about to be freed */
};
struct finding *findings_add(struct findings *f, struct env *env); /* zeroed */
/* Zeroed, except for the facts of the object at the node. */
struct finding *finding_add(struct look *l, const char *word, const struct graph_node *n);

/* Reads all lists in the order that makes them comparable, and compares them. */
int look_read(struct env *env, struct look *ret, struct err *e);
/* Keeps the findings of @a that are also in @b. */
void findings_keep(struct findings *a, const struct findings *b);

/* Objects that are in one list and not in another. */
void sights_compare(struct look *l);
/* Programs with code that has no symbol, and code without a program. */
void code_compare(struct look *l);
/* Keeps the code that is found in all of several further looks at the running machine. Even then it may be of a program
 * that is loaded again and again at the same address. */
void code_confirm(struct env *env, struct findings *code);

/* Programs that call dangerous helpers, and programs that run where the kernel is asked for objects. One look is
 * enough, because a program does not change. */
void helpers_find(struct look *l);
void places_find(struct look *l);
/* Attached programs without a process or pin that holds them. None are added if a process or pin could not be read. */
void loaders_find(struct look *l);

#define KEY(kind, id) ((uint64_t)(kind) << 32 | (id))
