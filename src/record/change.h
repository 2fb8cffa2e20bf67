/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_CHANGE_H
#define RECORD_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct schema;
/*
 * What a verb did, or with --dry-run would do: one record for all verbs that say so. The object is named by its kind
 * and id (verbs that take any kind of object) or by prog_id, map_id and link_id; the place by where and what, or by a
 * path.
 *
 * What was at the place before and is there now are both in it, for one element of a map; for many, how many.
 *
 * JSON, the manual's fields and --list-columns are change_schema, the same for every verb: a member that does not apply
 * is left out. Text is a sentence made of the same members. Verbs word it differently, some of them as bpftool does: a
 * row of enum sentence each. A new verb fills a record, and adds a sentence if none fits.
 *
 * cli/change.h prints it.
 */
enum sentence {
	SENTENCE_PLACE, /* would attach program 3 (name) at eth0 xdp, link 5, in place of 2 (old), pin /sys/fs/bpf/x */
	SENTENCE_STRUCT_OPS, /* Registered tcp_congestion_ops name id 3 */
	SENTENCE_UNPIN,	     /* would remove /sys/fs/bpf/x, a pin of map 3 */
	SENTENCE_OBJECT,     /* would freeze map 3 */
	SENTENCE_CREATE,     /* would create a map of type hash and pin it to /sys/fs/bpf/x */
	SENTENCE_ELEMENT,    /* would write to map 3: (and below it the elements, in the form of a dump) */
	SENTENCE_ELEMENTS,   /* wrote 10 elements, deleted 2, 1 failed */
	SENTENCE_LOAD,	     /* loaded count, program 12 of type xdp, link 5, pin /sys/fs/bpf/x */
	SENTENCES
};
struct change_rec {
	enum sentence sentence;
	const char *action;			 /* "attached", "would detach" */
	const char *kind;			 /* of the object; NULL: one of the ids below says it */
	uint32_t id;				 /* with kind; 0: none yet */
	uint32_t prog_id, map_id, link_id;	 /* 0: none, or not known yet */
	const char *name, *type, *path;		 /* of the object; the file; NULL: none */
	const char *struct_ops;			 /* struct of the kernel; NULL: none, or not known */
	const char *where, *what;		 /* place; NULL: none */
	uint32_t replaced;			 /* program or, where prog_id is 0, struct_ops map; 0: none */
	const char *replaced_name;		 /* NULL: none, or not known */
	const char *before, *after;		 /* one element, as JSON; NULL: none, or not known */
	uint64_t written, deleted, failed, last; /* SENTENCE_ELEMENTS; last: position of the last that was tried */
	bool deletes;				 /* it is one that deletes, too */
	const char *const *pins;		 /* made or removed */
	uint32_t npins;
	bool dry_run; /* nothing was changed */

	uint32_t replaced_map;		   /* set by change_complete(), as the rest */
	uint8_t has_elements, has_deleted; /* enum avail */
};
extern const struct schema change_schema;
/* What follows from the other members; before the record is printed. */
void change_complete(struct change_rec *c);

#endif
