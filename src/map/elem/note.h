/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct elem_form;
struct jsonw;
struct schema;
/* A record about an element, shown beside its bytes. */
struct elem_note {
	const char
		*name; /* member of the element, and word in plain text; NULL: the fields are members of the element */
	const struct schema *schema;
	const void *rec;
};
/*
 * All records of an element, at the end of a line of @o, or, unless @w is NULL, as members of its open object. @key: of
 * the element; @err: of its lookup.
 */
void elem_notes(const struct elem_form *f, struct out *o, struct jsonw *w, const unsigned char *key, int err);
