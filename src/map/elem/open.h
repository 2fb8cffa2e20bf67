/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "map/elem/assumed.h"
#include "map/types.h"
#include "kernel/abi.h"

struct object_ref;
struct arg_list;
/* A map that a command works on: descriptor, sizes, types. An OPEN_MAP variable closes itself. */
struct open_map {
	int fd; /* -1: none */
	struct abi_map_info info;
	struct elem_form form; /* with the plans of its types, if any; for plain output VALUE_TYPED */
	struct elem_form
		shown; /* with the formats that names of types imply: as tables show members and words are read */
	bool lock;     /* its values have a bpf_spin_lock */
};
void open_map_close(struct open_map *m);
#define OPEN_MAP(m) __attribute__((cleanup(open_map_close))) struct open_map m = { .fd = -1 }
/*
 * -EOPNOTSUPP: maps of its type do not support the verb; or --from is given, and single elements can be read only from
 * the running kernel.
 */
int map_open(struct env *env, const struct object_ref *ref, enum map_verb verb, struct open_map *ret, struct err *e);

/* Types in place of those of the map; errors are those of assumed_form(). */
int map_open_assumed(struct env *env, struct open_map *m, const struct assumed_opts *o, struct err *e);
/* Applies --format and --exact to the words of elements; -EINVAL with a sentence. */
int map_open_formats(struct env *env, struct open_map *m, const struct arg_list *format, bool exact, struct err *e);

/* Prints the element as `map dump` does, in the format of the output. @elem: key and value as transferred. */
void map_elem_print(struct env *env, const struct open_map *m, const unsigned char *elem);
/*
 * A change of an element: its bytes before and after; NULL: none, or unknown. Its texts are made before the change, so
 * that a lack of memory cannot lose the record of a change that was made.
 */
struct elem_change {
	const unsigned char *before, *after;
	const char *before_text, *after_text; /* by elem_change_texts(); in env->keep */
};
void elem_change_texts(struct env *env, const struct open_map *m, struct elem_change *c);
/* Reports what was done, "deleted from", or would have been done with --dry-run (change_tell()). */
void elem_change_report(struct env *env, const struct open_map *m, const char *action, bool dry_run,
			const struct elem_change *c);
/* Room for an element, key and value as transferred; *ret_value is the start of the value. In env->keep. */
unsigned char *map_elem_room(struct env *env, const struct open_map *m, unsigned char **ret_value);
/* The sentence for a refused element command; @what: "write elements", as in "map 7: cannot write elements". */
int map_error(const struct open_map *m, int err, const char *what, struct err *e);
