/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_DUMP_H
#define OBJECT_DUMP_H

#include <stdint.h>

struct object; struct object_func; struct xlated; struct place;

extern const struct command object_dump;
/* Where variables and defined maps stand, for the names of what code refers to. */
struct places { const struct place *p; uint32_t n; };
void object_places(const struct object *o, struct places *ret);
/* A function of the file as prog/ prints the instructions of a loaded program; lives as long as the struct object. */
void object_code(const struct object *o, const struct places *places, const struct object_func *f, struct xlated *ret);

#endif
