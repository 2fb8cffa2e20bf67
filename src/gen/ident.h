/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/ident.h"

/* "/x/1-x.bpf.o" as the name of a header's structs: "_1_x_bpf". */
const char *ident_of_file(struct arena *a, const char *path);
const char *ident_upper(struct arena *a, const char *ident);
/* Write bytes as a string literal. @indent: split it into lines, each after a newline and @indent; NULL: one line. */
void literal_put(struct out *o, const void *bytes, size_t n, const char *indent);
void literal_string(struct out *o, const char *s);
