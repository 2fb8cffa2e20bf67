/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

/* Find the objects that a command line selects. */

/* List all ids of a kind, ascending, in env->keep. If the kernel refuses the list, it is an error with a hint. */
int select_all(struct env *env, const struct kind *k, const uint32_t **ret, size_t *ret_n, struct err *e);

/*
 * Find the ids that a reference selects, or all without one, ascending, in @a; with one, at least one on success.
 * -ENOENT (exit status 3) with
 * @e set if nothing matches. An id is not checked here, because reading it fails if it does not exist. Objects that are
 * freed meanwhile are skipped. The name of a program may be the full name from BTF, or the 15 characters that the
 * kernel keeps.
 */
int select_objects(struct env *env, struct arena *a, const struct kind *k, const struct object_ref *ref,
		   const uint32_t **ret, size_t *ret_n, struct err *e);
/* The same for exactly one object; several are an error that lists their ids. */
int select_one(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret, struct err *e);
/* For completion: any object that the reference selects; the line may go on before it selects only one. */
bool select_example(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret);

/* Several references together. */
struct selection {
	const struct kind *kind;
	const struct object_refs *refs;
	const uint32_t *ids; /* ascending, each once */
	size_t n;
	const char *missing; /* sentences about references without an object; NULL: none */
};
/* Find the objects of all references, or all objects of the kind if there are none, in env->keep. With several
 * references, selection_end() reports those without an object. */
int selection_find(struct env *env, const struct kind *k, const struct object_refs *refs, struct selection *ret,
		   struct err *e);
/* Was more than one object selected or found? The output is then a list. */
static inline bool selection_several(const struct selection *s)
{
	return s->n != 1 || s->refs->n != 1;
}
/* Note that an object no longer exists: a failure if it was selected by its id. */
void selection_note_gone(struct env *env, struct selection *s, uint32_t id);
/* Call it after all objects were printed: -ENOENT if a named object does not exist. */
int selection_end(const struct selection *s, struct err *e);

/* Set @e for an id that no object has, with a hint if objects of other kinds have it; returns -ENOENT. */
int select_no_such(struct env *env, const struct kind *k, uint32_t id, struct err *e);

/*
 * Open an object of the running kernel. Returns a descriptor or -errno, and its id unless @ret_id is NULL. Maps: the
 * descriptor of select_open() is read-only, which suffices to hold, pin or name the map; select_open_rw() is for
 * writing to it.
 */
int select_open(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id, struct err *e);
int select_open_rw(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id,
		   struct err *e);
