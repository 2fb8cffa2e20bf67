/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "load/load.h"

struct gen_object;
/*
 * A skeleton that works without libbpf, for programs and kernel modules: instead of the object, it loads a program that
 * loads the object. libbpf makes this loader with the types of the running kernel. @o owns the loader; making it
 * changes the order of @o's programs.
 */
struct light {
	struct loader loader;
	const struct loader_signature *signature; /* NULL: not signed */
};
int light_make(struct light *ret, const struct loader_opts *opts, struct gen_object *o, struct arena *a, struct err *e);
