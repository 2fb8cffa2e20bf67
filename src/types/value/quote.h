/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct btf_type;
struct btf_types;
struct step_word;
/* Names that are printed often: quoted and escaped once, in @a. @scratch is a buffer that the caller may reuse. */
const char *quote_text(struct out *scratch, struct arena *a, const char *s, uint32_t *ret_len);
/* The names of an enum, ascending by value, then in the order of the enumerators. Returns how many. */
uint32_t quote_enum(struct out *scratch, struct arena *a, const struct btf_types *t, const struct btf_type *type,
		    const struct step_word **ret);
