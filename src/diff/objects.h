/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "diff/edits.h"

struct env;
/* Inside the folder: differences of two object files, whose parts are matched by name. */
struct object_difference {
	const char *kind, *type, *name;
	bool old_has, new_has;	    /* the file has the part */
	const char *field;	    /* that differs; NULL: the difference is the part itself */
	const char *before, *after; /* JSON */
	struct text_lines code;	    /* of a function with other instructions */
};
typedef void object_differs(void *ctx, const struct object_difference *d);
/*
 * Compare programs and functions with their instructions, maps, variables, externs and types; if only one file has BTF,
 * only programs and instructions, which the report's note says. Lives in env->keep. 0, or
 * -errno with @e set: a file cannot be read.
 */
int objects_compare(struct env *env, const char *const path[2], object_differs *fn, void *ctx, struct err *e);
/* Is it the file of an object or of a program that has objects inside? */
bool objects_are(const char *path);
