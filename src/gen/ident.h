/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_IDENT_H
#define GEN_IDENT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct out;
/* "1-x.y" as a name in C: "_1_x_y". Words of C and C++ get a "_" behind them, if @words. */
const char *ident_make(struct arena *a, const char *name, bool words);
/* "/x/1-x.bpf.o" as the name of a header's structs: "_1_x_bpf". */
const char *ident_of_file(struct arena *a, const char *path);
const char *ident_upper(struct arena *a, const char *ident);
/* Bytes as a string literal; with @indent in lines, each behind a newline and that. */
void literal_put(struct out *o, const void *bytes, size_t n, const char *indent);
void literal_string(struct out *o, const char *s);

#endif
