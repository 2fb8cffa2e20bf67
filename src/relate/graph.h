/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RELATE_GRAPH_H
#define RELATE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"
#include "record/edge.h"

struct arena;
struct arg_list;
struct env;
struct err;
struct task_place;
/*
 * Who holds whom on a machine: made once, from the records of all kinds and the attachments; read by every command on
 * relations. Which edges there are follows from the units of fields (record/edge.h). Lives in env->keep.
 */
enum { NODE_ATTACHMENT = EDGE_KINDS, NODE_KINDS }; /* besides enum edge_to: a program at a place, as ls has it */
#define GRAPH_NONE UINT32_MAX			   /* no node, no edge, no component */

struct graph_node {
	unsigned kind;	  /* enum edge_to or NODE_ATTACHMENT */
	uint64_t id;	  /* of the object, process, device, namespace or cgroup; pins and attachments: from 1 */
	uint64_t netns;	  /* of a device: inode of its namespace, 0: not known */
	const char *type; /* of an object its type, of an attachment its hook; NULL: none */
	const char *name; /* of a pin its path, of an attachment where it is; NULL: none, or not known */
	const struct task_place *place; /* of a process; NULL: not known */
	const struct schema *schema;	/* of the record, and the record; NULL: nothing was read, */
	const void *rec;    /* because there is no record of such things, or the object is gone or refused */
	bool unknown;	    /* more may hold it, or be held by it, than could be read */
	uint32_t component; /* what hangs together, from 0; GRAPH_NONE: BTF and places, which all may share */
	uint32_t in, out;   /* first edge to it, and from it; GRAPH_NONE: none */
};
struct graph_edge {
	uint32_t from, to;	    /* nodes; once for each pair */
	uint32_t next_in, next_out; /* of the same to, of the same from; GRAPH_NONE: the last */
	bool keeps;		    /* as long as from is there, to is */
	const char *by;		    /* name of the field that says so */
};
struct graph {
	struct graph_node *node;
	struct graph_edge *edge;
	uint32_t nodes, edges, components;
	bool *shown; /* by node; graph_choose() */
};

/*
 * Reads it; records have what @need (enum need) asks for beside what edges take. What could not be read is
 * report_unread() or noted by the machine, and the nodes that may lack edges have unknown. Fails where no kind can be
 * listed.
 */
int graph_read(struct env *env, unsigned need, struct graph *ret, struct err *e);

/* "prog", "attachment" */
const char *graph_word(const struct graph_node *n);
/* "prog 7 xdp count", "pin /sys/fs/bpf/x", "agent(123)"; in @a, not escaped. */
const char *graph_title(const struct graph_node *n, struct arena *a);
/* Where a process belongs: "agent.service", "container 0123456789ab"; NULL: not known, or no process. In @a. */
const char *graph_home(const struct graph_node *n, struct arena *a);
/* What an edge says beyond its two ends: the name of its field, or NULL. */
const char *graph_edge_word(const struct graph_edge *e);
/* By component, who has it: "agent.service: agent(123)", a pin, "nobody; eth0 tc_ingress", "nobody"; in env->keep. */
const char **graph_owners(struct env *env, const struct graph *g);

/*
 * The nodes that words name, one object behind the other: [prog|map|link|btf] [id|name|tag|pinned] OBJ, or `process
 * PID`; bare: a pin with a slash in it, a number or a name of whatever has it, also a device or a process. -ENOENT with
 * the near names, -ENOTUNIQ: a bare number that several kinds have. *ret in env->keep, each once.
 */
int graph_find(struct env *env, const struct graph *g, const struct arg_list *words, const uint32_t **ret,
	       size_t *ret_n, struct err *e);

enum graph_want {
	GRAPH_BTF = 1 << 0,    /* BTF objects that somebody holds */
	GRAPH_PLACES = 1 << 1, /* devices, namespaces and cgroups */
};
/*
 * Sets g->shown: what holds the @n nodes, directly or not, and what they hold, up to @depth steps (0: any); @start
 * NULL: all. The start itself, else of BTF objects and places those of @want (enum graph_want).
 */
void graph_choose(struct env *env, struct graph *g, const uint32_t *start, size_t n, unsigned depth, unsigned want);
bool graph_is_place(unsigned kind);
/*
 * By edge: is there no need to draw it? One end is not shown; a process is only meant; a process or link holds
 * something else that holds the same. In env->keep.
 */
bool *graph_needless(struct env *env, const struct graph *g);
/* By node: the link that stands for this attachment, its only one, in a picture; GRAPH_NONE: none. In env->keep. */
uint32_t *graph_folds(struct env *env, const struct graph *g);

/*
 * A command for a shell that makes @root let go of @held, which it keeps: unpin, detach, the end of a process or
 * service; in @a. NULL:
 * @root is kept itself.
 */
const char *graph_let_go(const struct graph *g, uint32_t root, uint32_t held, struct arena *a);
/* Rows of commands on relations. */
#define FIELD_COMPLETE(T, m) FIELD(T, m, "complete", "all could be read that tells of its relations")

struct out;
/* Pictures of what is shown. The tree draws what is held below who holds it, each once. */
void graph_draw_tree(struct env *env, const struct graph *g, struct out *o);
/* The same as part of a page (render/html.h), what hangs together under its owner. */
void graph_draw_html(struct env *env, const struct graph *g, struct out *o);
void graph_draw_dot(struct env *env, const struct graph *g, struct out *o);
void graph_draw_mermaid(struct env *env, const struct graph *g, struct out *o);
/* Of a box: lines of text, NULL behind the last; in @a, not escaped. @at: the attachment folded into it, or NULL. */
#define GRAPH_LINES 4
const char *graph_fill(const struct graph_node *n); /* its colour, on which dark text can be read */
void graph_label(const struct graph_node *n, const struct graph_node *at, struct arena *a,
		 const char *ret[GRAPH_LINES]);

/* Completion of OBJ: kinds, what names one of a kind, and names of programs and maps. */
arg_offers graph_offer_objects;

/* Edges from and to a node: for (i = g->node[n].out; i != GRAPH_NONE; i = g->edge[i].next_out). */
#define GRAPH_OUT(g, n, i) for (uint32_t i = (g)->node[n].out; i != GRAPH_NONE; i = (g)->edge[i].next_out)
#define GRAPH_IN(g, n, i) for (uint32_t i = (g)->node[n].in; i != GRAPH_NONE; i = (g)->edge[i].next_in)

#endif
