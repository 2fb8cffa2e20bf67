/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/c/writer.h"
#include "gen/object.h"

struct light;
/*
 * A header being written to memory. It is output when it is complete.
 *
 * Text that is the same in all headers is a template, in which each $ stands for the name of its structs and functions.
 */
struct header {
	const struct gen_object *o;
	struct out *out;
	struct c_writer types;	   /* zero without BTF */
	const struct light *light; /* for light_put(); else NULL */
	const char *incbin;	   /* for skeleton_put(): path of the object, for the assembler; NULL: has its bytes */
};
void header_init(struct header *h, const struct gen_object *o, struct arena *a, struct out *out);
void header_text(struct header *h, const char *template);
/* The beginning of a header, up to what it includes, and its end; @kind is part of its guard. */
void header_begin(struct header *h, const char *kind);
void header_end(struct header *h, const char *kind);
/* The structs of handles, maps and progs; nothing if there are none. */
void header_maps(struct header *h, const char *type);
void header_progs(struct header *h, const char *type, const char *suffix, const char *name);

/* members.c: the variables of sections, and the members of struct_ops maps, each as a pointer to a struct in $. */
void header_sections(struct header *h);
void header_shadows(struct header *h);
/* The function NAME__assert(), which does not compile if the layout differs from the object's. */
void header_asserts(struct header *h);
/* The sections for a subskeleton: structs of pointers to the variables. */
void header_section_pointers(struct header *h);

/*
 * tables.c: the bodies of functions that describe to libbpf (with the variables s and map) which handles to set in
 * *obj. @sub: for a subskeleton, which only finds them.
 */
void header_maps_fill(struct header *h, bool sub);
void header_progs_fill(struct header *h, bool sub);
void header_vars_fill(struct header *h);
/*
 * The rest of the function that opens, after the declaration of `obj`: it calls NAME__create_ @create and
 * bpf_object__open_ @open.
 */
void header_put_open(struct header *h, const char *create, const char *open);

/* Write a complete header; each in its own file. */
typedef void header_put(struct header *h);
header_put skeleton_put, subskeleton_put, light_put;
