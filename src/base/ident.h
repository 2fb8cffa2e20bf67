/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Keywords to which "_" is appended. */
enum ident_words { IDENT_ANY, IDENT_C, IDENT_CPP };
/* "1-x.y" as an identifier in C: "_1_x_y", in the arena; @name itself if it is one, or is empty. */
const char *ident_make(struct arena *a, const char *name, enum ident_words words);
bool ident_is_cplusplus(const char *name); /* a keyword of C++ that is none of C */
