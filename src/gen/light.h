/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_LIGHT_H
#define GEN_LIGHT_H

#include "load/load.h"

struct gen_object;
/*
 * A skeleton that does without libbpf, for programs and kernel modules: an object is not loaded but a program that
 * loads it, which libbpf has made for it, by the types of the kernel that runs here. It is the object's; making it
 * changes the order of programs.
 */
struct light {
	struct loader loader;
	const struct loader_signature *signature; /* NULL: it is not signed */
};
int light_make(struct light *ret, const struct loader_opts *opts, struct gen_object *o, struct arena *a, struct err *e);

#endif
