/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "object/file.h"

struct xlated;
struct data_name;

/* The file argument of each command; member @m of @T is a struct object_path. */
#define FILE_ARGS(T, m) \
	OPERAND("FILE", ARG_PATH, T, m.path, "a BPF object file, or a file with BPF objects inside"), \
		ARG("--embedded", ARG_U32, T, m.embedded, "the Nth of several objects inside the file", \
		    .metavar = "N", .flags = ARG_NONZERO)

extern const struct command object_dump;
/* The places of variables and defined maps, to name what code refers to. */
struct data_names {
	const struct data_name *p;
	uint32_t n;
};
void object_data_names(const struct object *o, struct data_names *ret);
/* The variable or map at an offset in a section, and the offset in it. NULL: none. */
const char *object_data_name(const struct data_names *all, uint32_t section, uint64_t off, uint64_t *ret_off);
/* Convert a function of the file for prog/, which prints instructions of loaded programs. Valid as long as the struct
 * object. */
void object_code(const struct object *o, const struct data_names *places, const struct object_func *f,
		 struct xlated *ret);
