/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include <stddef.h>

#include "record/field.h"

struct out; struct render;
/* What the renderers share. */

/* The needs whose fields are left out: skip_need, but not of what the user asked for by name. */
unsigned render_skip(const struct render *r);
/* A value as text, with what came from outside escaped. */
void render_value(struct out *o, const struct field *f, const struct value *v, enum value_style style);
/* Columns that such a text takes on a terminal: one a code point. */
size_t render_width(const char *s, size_t n);
void render_pad(struct out *o, size_t n);		/* so many blanks */

#endif
