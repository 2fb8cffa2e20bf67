/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in arch.c. */

#include "base/base.h"

struct object;
/*
 * The architecture that an object was compiled for, by its structs of registers, by the kernel's name: "arm64". NULL:
 * it has none of them. Is it another one than that of this program?
 */
const char *object_arch(const struct object *o);
const char *object_arch_here(void);
bool object_is_foreign(const struct object *o, const char **ret_arch);

/* Why libbpf does not open or load the file, as far as the file shows. */
struct object_refusal {
	const char *part, *name; /* "map", "flows" */
	const char *why, *remedy;
	bool by_loader; /* a loader may set what is missing */
	bool opens;	/* only loading fails */
};

void object_refusals(const struct object *o, const struct object_refusal **ret, uint32_t *ret_n);
/*
 * libbpf could not open, load, ... (@what) a file, with @err. Set the message from object_refusals(), about @name only
 * if it is not NULL; returns @err, or 0 if the file shows no reason. object_explain() then sets another message.
 */
int object_explain_refused(const char *what, const char *path, const struct str *bytes, const char *name, int err,
			   struct err *e);
int object_explain(const char *what, const char *path, const struct str *bytes, int err, struct err *e);
