/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in helpers.c. */

#include "base/base.h"

/*
 * Names of the kernel's enumerators as bpftool and libbpf print them, in lower case without the enum's prefix. Indexed
 * by the uapi value; NULL is a hole. A value beyond the table is newer than this program.
 */
struct name_table {
	const char *what;	 /* "prog_type" */
	const char *btf_enum;	 /* "bpf_prog_type": the kernel's enum, for values newer than the table */
	const char *prefix;	 /* "BPF_PROG_TYPE_" */
	const char *const *word; /* the first name */
	unsigned n;
	size_t stride; /* bytes from one name to the next */
};
extern const struct name_table names_prog_type, names_map_type, names_link_type;
extern const struct name_table names_attach_type; /* in hooks.c */
extern const struct name_table names_map_flag;	  /* by the number of the bit; the kernel's enum has no name */

const char *names_of(const struct name_table *t, uint64_t value); /* NULL: unknown */
int names_value(const struct name_table *t, const char *word);	  /* -1: unknown */
const char *names_helper(uint32_t id);				  /* "bpf_map_lookup_elem"; NULL: unknown */
/* How many arguments it has, at most (include/uapi/linux/bpf.h); 5, as many as there can be, for an unknown one. */
unsigned names_helper_args(uint32_t id);
