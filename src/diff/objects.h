/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in cmd_object_diff.c and verified.c. */

#include "diff/difference.h"
#include "diff/edits.h"

/* Inside the folder: differences of two object files, whose parts are matched by name. */
struct object_difference {
	const char *kind, *type, *name;
	bool old_has, new_has;	    /* the file has the part */
	const char *field;	    /* that differs; NULL: the difference is the part itself */
	const char *before, *after; /* JSON */
	struct text_lines code;	    /* of a function with other instructions */
	int64_t increase;
	uint8_t has_increase; /* enum avail */
};
typedef void object_differs(void *ctx, const struct object_difference *d);
/*
 * Compare licence, programs and functions with their instructions, maps, variables, externs, data, types and needs; if
 * only one file has BTF, only programs and instructions, which the report's note says. Lives in env->keep. 0, or
 * -errno with @e set: a file cannot be read.
 */
int objects_compare(struct env *env, const char *const path[2], object_differs *fn, void *ctx, struct err *e);
/*
 * Compare what the verifier says of each program, which is loaded alone and unloaded: verdict and figures. Programs
 * that were not verified are counted in the report as unread. 0, or -errno with @e set: a file cannot be loaded.
 */
int objects_verified_compare(struct env *env, const char *const path[2], object_differs *fn, void *ctx, struct err *e);
/* Is it the file of an object or of a program that has objects inside? */
bool objects_are(const char *path);

/* Print the differences of two object files; @verify: also those above. */
int object_files_compare(struct differences *d, const char *const path[2], bool verify, struct err *e);
#define OBJECTS_VERIFY(T, m, ...) \
	ARG("--verify", ARG_FLAG, T, m, \
	    "of object files: load each program alone, and compare what the verifier says and counts; needs root", \
	    ##__VA_ARGS__)
