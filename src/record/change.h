/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct schema;
/*
 * What a verb did, or with --dry-run would do: one record for all verbs that report a change. The object is identified
 * by its kind and id (verbs that take any kind of object) or by prog_id, map_id and link_id; the place by where and
 * what, or by a path. The record contains what was at the place before and what is there now; for elements of a map,
 * both values of a single element, and counts for several.
 *
 * change_schema is the same for every verb, for JSON, the manual's fields and --list-columns: a member that does not
 * apply is left out. Text is a sentence made of the same members. The wording differs between verbs, and for some is
 * that of bpftool: each is a value of enum sentence. A new verb fills a record, and adds a sentence only if none fits.
 * cli/change.h prints the record.
 */
enum sentence {
	SENTENCE_PLACE, /* would attach program 3 (name) at eth0 xdp, link 5, in place of 2 (old), pin /sys/fs/bpf/x */
	SENTENCE_STRUCT_OPS, /* Registered tcp_congestion_ops name id 3 */
	SENTENCE_UNPIN,	     /* would remove /sys/fs/bpf/x, a pin of map 3 */
	SENTENCE_OBJECT,     /* would freeze map 3 */
	SENTENCE_CREATE,     /* would create a map of type hash and pin it to /sys/fs/bpf/x */
	SENTENCE_ELEMENT,    /* would write to map 3: (followed by the elements, in the form of a dump) */
	SENTENCE_ELEMENTS,   /* wrote 10 elements, deleted 2, 1 failed */
	SENTENCE_LOAD,	     /* loaded count, program 12 of type xdp, link 5, pin /sys/fs/bpf/x */
	SENTENCE_REPLACE,    /* attached count, program 12 at eth0 xdp, link 5, in place of 7: link updated */
	SENTENCES
};
struct change_rec {
	enum sentence sentence;
	const char *action;		   /* "attached", "would detach" */
	const char *kind;		   /* of the object; NULL: one of the ids below shows it */
	uint32_t id;			   /* with kind; 0: none yet */
	uint32_t prog_id, map_id, link_id; /* 0: none, or unknown */
	const char *name, *type, *path;	   /* of the object; path of the file; NULL: none */
	const char *struct_ops;		   /* struct of the kernel; NULL: none, or unknown */
	const char *where, *what;	   /* the attach point; NULL: none */
	uint32_t verified_insns;	   /* 0: not asked, or unknown */
	uint32_t nfuncs;		   /* functions of the link, if it has several; 0: one */
	uint32_t replaced;		   /* program, or map if kind is that or prog_id is 0; 0: none */
	const char *replaced_name;	   /* NULL: none, or unknown */
	const char *how;		   /* it was replaced, or why; NULL: not said */
	const char *before, *after;	   /* one element, as JSON; NULL: none, or unknown */
	/* SENTENCE_ELEMENTS; last: position of the last element that was tried */
	uint64_t written, deleted, failed, last;
	bool deletes;		 /* the verb also deletes elements */
	const char *const *pins; /* created or removed */
	uint32_t npins;
	bool dry_run; /* nothing was changed */

	uint32_t replaced_map;		   /* this and the following members are set by change_complete() */
	uint8_t has_elements, has_deleted; /* enum avail */
};
extern const struct schema change_schema;
/* Set the members that follow from others; call it before the record is printed. */
void change_complete(struct change_rec *c);
