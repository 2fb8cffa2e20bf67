/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

struct open_map;
/*
 * The words `key DATA`, `value VALUE` and any|exist|noexist, in any order. DATA is [hex] and as many bytes as the key
 * or value has, as in bpftool; or one word, also `hex` alone: JSON of the map's BTF type as dumps and tables print it,
 * or text, a number, an address or a prefix of an LPM trie as tables show it; or words MEMBER=DATA, which change
 * members of the present value, or of a key of zeros. A VALUE may also be a list with an element for each CPU or, if
 * values are maps or programs, an object.
 */
#define EXACT_ARG(T, m) ARG("--exact", ARG_FLAG, T, m, "numbers as in memory, also for types like __be32")
enum elem_args_allowed { ELEM_ARGS_KEY = 1 << 0, ELEM_ARGS_VALUE = 1 << 1, ELEM_ARGS_FLAGS = 1 << 2 };
struct elem_args {
	struct arg_list key, value; /* after their keywords */
	bool has_key, has_value;
	bool has_flags;
	uint64_t flags; /* BPF_ANY, BPF_NOEXIST, BPF_EXIST */
};
/* Takes `cpu N` after the other words from their end: N; NULL: it is not there. */
const char *elem_args_cpu(struct arg_list *words);
int elem_args_split(const struct open_map *m, const struct arg_list *words, unsigned allowed, struct elem_args *ret,
		    struct err *e);
/* Sets key_size bytes. A key is required, except for a map without keys, where it is an error. */
int elem_args_key(const struct open_map *m, const struct elem_args *w, unsigned char *key, struct err *e);
/* The same of the words `key DATA` alone. */
int elem_args_key_only(const struct open_map *m, const struct arg_list *words, unsigned char *key, struct err *e);
/*
 * Sets the bytes of all CPUs. MEMBER=DATA words change the value that is in @value. If values are maps or programs, the
 * object is opened: *ret_fd is its descriptor, which the caller owns and whose number is in @value. -1: none.
 */
int elem_args_value(struct env *env, const struct open_map *m, const struct elem_args *w, unsigned char *value,
		    int *ret_fd, struct err *e);
/* Do the value's words change members of the present one? */
bool elem_args_are_members(const struct open_map *m, const struct elem_args *w);

/*
 * Completion of these words, after those for the map: of a key, of a value, of both, and of both with
 * any|exist|noexist.
 */
arg_offers elem_args_offer_key, elem_args_offer_value, elem_args_offer_both, elem_args_offer_element;
