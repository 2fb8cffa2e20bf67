/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

struct btf_types;
/*
 * The types of a BTF object. If listing objects is not permitted, the kernel's own types and those of modules are found
 * by name, in the files in /sys/kernel/btf.
 */
int btf_object_types(struct env *env, const struct object_ref *ref, const struct btf_types **ret, struct err *e);
/*
 * The types of a source argument: of a BTF object, of one program, of a map, of a file; by default the kernel's own.
 * They stay valid as long as the command (btf.h limits the number of objects).
 */
int btf_types_get(struct env *env, const struct types_ref *from, const struct btf_types **ret, struct err *e);
/*
 * Call @fn for the types of the kernel, then of each module that has some, with its name; NULL: the kernel. 0; or
 * -errno with @e set: the kernel's cannot be read. What is refused of modules is reported.
 */
typedef void btf_of_kernel(void *ctx, const struct btf_types *t, const char *module);
int btf_each_of_kernel(struct env *env, btf_of_kernel *fn, void *ctx, struct err *e);
/*
 * For commands that list types: reports the types that cannot be used because their kind is newer than this program
 * (the exit status becomes 5), and that the size of pointers was guessed.
 */
void btf_types_whole(struct env *env, const struct btf_types *t);
/*
 * Finds types by id, or by name with or without a kind: "task_struct", "struct task_struct". All matches, ascending, in
 * env->keep.
 */
int btf_types_find(struct env *env, const struct btf_types *t, const char *name, const uint32_t **ret, size_t *ret_n,
		   struct err *e);
/* Offers the names of structs, unions and typedefs of these, of the kernel; each once. */
arg_offers btf_offer_types;
/*
 * Offers functions of the kernel that begin with @typed if it has at least FUNCTION_LEAST characters: there are tens of
 * thousands.
 */
#define FUNCTION_LEAST 2
void btf_offer_functions(struct env *env, const char *typed, arg_offer *offer, void *ctx);
