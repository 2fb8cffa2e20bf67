/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_HEADER_H
#define GEN_HEADER_H

#include "btf/c/writer.h"
#include "gen/object.h"

struct out;
struct light;
/*
 * A header being written, into memory: it goes out when it is complete.
 *
 * Text that is the same in every header is a template, in which each $ stands for the name of its structs and
 * functions.
 */
struct header {
	const struct gen_object *o;
	struct out *out;
	struct c_writer types;	   /* not there without BTF */
	const struct light *light; /* for light_put() */
	const char
		*incbin; /* for skeleton_put(): where the assembler finds the object; NULL: the header has its bytes */
};
void header_init(struct header *h, const struct gen_object *o, struct arena *a, struct out *out);
void header_text(struct header *h, const char *template);
/* What stands around all of it; @kind is a part of its guard. header_begin(): with what includes libbpf. */
void header_guard(struct header *h, const char *kind);
void header_begin(struct header *h, const char *kind);
void header_end(struct header *h, const char *kind);
/* Structs of handles, called maps and progs; nothing if there are none. */
void header_maps(struct header *h);
void header_progs(struct header *h);

/* members.c: the variables of a section, and the fields of a struct_ops map, each as a pointer to a struct in $. */
void header_sections(struct header *h);
void header_shadows(struct header *h);
/* A function, NAME__assert(), that does not compile where the layout is not that of the object. */
void header_asserts(struct header *h);
/* The same sections for a subskeleton: structs of pointers to the variables. */
void header_section_pointers(struct header *h);

/*
 * tables.c: the bodies of functions that tell libbpf (by the variables s and map) what goes where in *obj; @sub: for a
 * subskeleton, where it does not know more than to find it.
 */
void header_maps_fill(struct header *h, bool sub);
void header_progs_fill(struct header *h, bool sub);
void header_vars_fill(struct header *h);
/*
 * The rest of the function that opens, behind `obj`, which it makes, fills and has libbpf open: by NAME__create_
 * @create and bpf_object__open_ @open.
 */
void header_opened(struct header *h, const char *create, const char *open);

/* All of a header; a file each. */
typedef void header_put(struct header *h);
header_put skeleton_put, subskeleton_put, light_put;

#endif
