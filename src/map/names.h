/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct elem_note;
struct elem_form;
struct schema;
/* The objects that the bytes of an element name, for map types whose bytes always name some; NULL or 0: nothing. */
struct elem_names {
	const char *prefix; /* "10.0.0.0/8" */
	const char *ifname;
	uint32_t prog_id;
	const char *prog_name;
};
extern const struct schema schema_elem_names;
/* Looked up and kept in @f->names. @key: the element, with a value. False: it names nothing. */
bool elem_names(const struct elem_form *f, const unsigned char *key, struct elem_note *ret);
