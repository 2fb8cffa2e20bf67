/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in draw.c, find.c, let_go.c, tree.c and walk.c. */

#include "base/paint.h"
#include "cli/command.h"
#include "record/edge.h"

struct task_place;
/*
 * Which objects hold which others on a machine: read once, from the records of all kinds and the attachments, for all
 * commands on relations. The units of fields decide which edges there are (record/edge.h). Lives in env->keep.
 */
enum { NODE_ATTACHMENT = EDGE_KINDS, NODE_KINDS }; /* in addition to enum edge_to: a program at a place, as in ls */
#define GRAPH_NONE UINT32_MAX			   /* no node, no edge, no component */

struct graph_node {
	unsigned kind;	  /* enum edge_to or NODE_ATTACHMENT */
	uint64_t id;	  /* of the object, process, device, namespace or cgroup; pins and attachments: from 1 */
	uint64_t netns;	  /* of a device: inode of its namespace; 0: unknown */
	const char *type; /* type of an object, hook of an attachment; NULL: none */
	const char *name; /* path of a pin, place of an attachment; NULL: none, or unknown */
	const struct task_place *place; /* of a process; NULL: unknown */
	const struct schema *schema;	/* of the record, and the record itself; NULL: no record, */
	const void *rec;		/* because this kind has none, or the object is gone or refused */
	uint32_t more_pins;		/* beyond those in the graph */
	bool unknown;			/* there may be more edges than could be read */
	const char *unsure;		/* of a program: perf events that may run it, as a clause; NULL: none */
	uint32_t component;		/* connected component, from 0; GRAPH_NONE: BTF and places, which are shared */
	uint32_t in, out;		/* first edge to it, and from it; GRAPH_NONE: none */
};
struct graph_edge {
	uint32_t from, to;	    /* nodes; there is one edge per pair */
	uint32_t next_in, next_out; /* next edge with the same to, and with the same from; GRAPH_NONE: the last */
	bool keeps;		    /* to stays loaded as long as from */
	const char *by;		    /* name of the field with this relation */
};
struct graph {
	struct graph_node *node;
	struct graph_edge *edge;
	uint32_t nodes, edges, components;
	bool *shown; /* by node; graph_choose() */
};

/*
 * Read the graph; records have what @need (enum need) and the edges require. What could not be read is reported by
 * report_unread() or noted by the machine; nodes that may lack edges have unknown set. Fails only if no kind can be
 * listed and, with @pinned, no pin can be read: the graph is then that of the pinned objects, which is a part. At most
 * @pins pins of an object are in it; 0: all.
 */
int graph_read(struct env *env, unsigned need, bool pinned, uint32_t pins, struct graph *ret, struct err *e);

extern const struct names graph_kinds; /* the words of all kinds of nodes, for fields */
/* "prog", "attachment" */
const char *graph_word(const struct graph_node *n);
/* Text with its role; NULL: none. */
struct graph_part {
	const char *text;
	enum role role;
};
/*
 * What a node is called: "prog 7", "xdp", "count"; "pin", "/sys/fs/bpf/x"; "agent(123)"; the title is all of it, with
 * blanks between. In @a, not escaped.
 */
#define GRAPH_WORDS 3
void graph_words(const struct graph_node *n, struct arena *a, struct graph_part ret[GRAPH_WORDS]);
const char *graph_title(const struct graph_node *n, struct arena *a);
/* Where a process belongs: "agent.service", "container 0123456789ab"; NULL: unknown, or not a process. In @a. */
const char *graph_home(const struct graph_node *n, struct arena *a);
/* By node: does a node of this kind keep it, directly or not? In env->keep. */
bool *graph_kept_from(struct env *env, const struct graph *g, unsigned kind);
/* The name of the edge's field if it adds to what the two ends show; else NULL. */
const char *graph_edge_word(const struct graph_edge *e);
/*
 * The owner of each component: "agent.service: agent(123)", a pin or a directory of pins, "nobody; eth0 tc_ingress",
 * "nobody"; in env->keep.
 */
const char **graph_owners(struct env *env, const struct graph *g);

/*
 * The nodes that words name, several one after the other: [prog|map|link|btf] [id|name|tag|pinned] OBJ; `process` or
 * `pid` and a number; a place, or a place and a hook, as `ls` prints them; a single word: an id, a path where something
 * is pinned, a process as lists print it (agent(123)), or a name, also of a device or a process. A pin stands for what
 * is pinned there. -ENOENT with similar names, or with the end of a program of a recording; -ENOTUNIQ: objects of
 * several kinds have this id. *ret in env->keep, each node once.
 */
int graph_find(struct env *env, const struct graph *g, const struct arg_list *words, const uint32_t **ret,
	       size_t *ret_n, struct err *e);

enum graph_want {
	GRAPH_BTF = 1 << 0,    /* BTF objects that have a holder */
	GRAPH_PLACES = 1 << 1, /* devices, namespaces and cgroups */
};
/*
 * Set g->shown: the @n nodes, their holders, direct or not, and what they hold, up to @depth steps (0: no limit);
 * @start NULL: all nodes. Other BTF objects and places are shown only if in @want (enum graph_want).
 */
void graph_choose(struct env *env, struct graph *g, const uint32_t *start, size_t n, unsigned depth, unsigned want);
bool graph_is_place(unsigned kind);
/*
 * By edge: may it be left out of drawings? One end is not shown, a process is only referred to, or another node held by
 * the same process or link holds the same. In env->keep.
 */
bool *graph_needless(struct env *env, const struct graph *g);
/* Nodes drawn in the box of another one: a link has its attachment, an object has its pins. */
struct graph_folds {
	uint32_t *into;		/* by node; GRAPH_NONE: it has a box of its own */
	uint32_t *first, *next; /* by node: the first in its box, and the next in the same box; GRAPH_NONE: no more */
};
void graph_fold(struct env *env, const struct graph *g, struct graph_folds *ret); /* in env->keep */

/*
 * A shell command that makes @root release @held: unpin, detach, or end a process or service; in @a. NULL: @root itself
 * is kept by something.
 */
const char *graph_let_go(const struct graph *g, uint32_t root, uint32_t held, struct arena *a);
/* A field of records of commands on relations. */
#define FIELD_COMPLETE(T, m) FIELD(T, m, "complete", "all facts about its relations could be read")

/* Drawings of the shown nodes. The tree draws what is held below its holder, each node once. */
void graph_draw_tree(struct env *env, const struct graph *g, struct out *o);
/* The same as part of a page (render/html.h), with a section for each component. */
void graph_draw_html(struct env *env, const struct graph *g, struct out *o);
void graph_draw_dot(struct env *env, const struct graph *g, struct out *o);
void graph_draw_mermaid(struct env *env, const struct graph *g, struct out *o);
const char *graph_fill(const struct graph_node *n); /* its colour, on which dark text is readable */
/*
 * What drawings say of a node after its title: where a process belongs, what is in its box, and whether it is
 * incomplete. Not escaped; the return value is their number.
 */
#define GRAPH_PARTS 4
size_t graph_parts(const struct graph *g, const struct graph_folds *f, uint32_t node, struct arena *a,
		   struct graph_part ret[GRAPH_PARTS]);
/* The lines of its box, with these parts, terminated by NULL; in @a, not escaped. */
#define GRAPH_LINES (GRAPH_PARTS + 3)
void graph_label(const struct graph *g, const struct graph_folds *f, uint32_t node, struct arena *a,
		 const char *ret[GRAPH_LINES]);

/* Completion of OBJ: kinds, objects of a kind, and names of programs and maps. */
arg_offers graph_offer_objects;

/* Edges from and to a node: for (i = g->node[n].out; i != GRAPH_NONE; i = g->edge[i].next_out). */
#define GRAPH_OUT(g, n, i) for (uint32_t i = (g)->node[n].out; i != GRAPH_NONE; i = (g)->edge[i].next_out)
#define GRAPH_IN(g, n, i) for (uint32_t i = (g)->node[n].in; i != GRAPH_NONE; i = (g)->edge[i].next_in)
