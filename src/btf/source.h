/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_SOURCE_H
#define BTF_SOURCE_H

#include "cli/command.h"

struct btf_types;
struct err;
/*
 * The types of a BTF object. Who may not list the objects gets the kernel's own and those of modules by their names,
 * from the files below /sys/kernel/btf.
 */
int btf_object_types(struct env *env, const struct object_ref *ref, const struct btf_types **ret, struct err *e);
/*
 * The types that a source argument means: of a BTF object, of one program, of a map, of a file; the kernel's own where
 * none is given. They stay valid as long as the command (btf.h says how many objects at once).
 */
int btf_source_get(struct env *env, const struct source_ref *from, const struct btf_types **ret, struct err *e);
/* For who lists types: says which are not usable, as their kind is newer than this program, and makes the exit
 * status 5. */
void btf_source_whole(struct env *env, const struct btf_types *t);
/* A type by its id, or name, which a kind may precede: "task_struct", "struct task_struct". All that fit, ascending, in
 * env->keep. */
int btf_types_named(struct env *env, const struct btf_types *t, const char *name, const uint32_t **ret, size_t *ret_n,
		    struct err *e);
/* Names of structs, unions and typedefs of them, of the kernel; each once. */
arg_offers btf_offer_types;
/* Functions of the kernel that begin with @typed, once it has FUNCTION_LEAST characters: there are tens of thousands.
 */
#define FUNCTION_LEAST 2
void btf_offer_functions(struct env *env, const char *typed, arg_offer *offer, void *ctx);

#endif
