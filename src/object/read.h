/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in core.c, maps.c, programs.c, sections.c and variables.c. */

#include "record/field.h"

struct object;
struct object_func;
/* The parts of an object file, a record each. What they point to is valid as long as the struct object. */

struct object_section {
	uint32_t index;
	const char *name, *type, *flags; /* flags: letters as readelf(1) prints them */
	uint64_t size;
};

struct object_prog {
	const char *name, *section;
	const char *type, *attach_type, *target; /* derived from the section's name; NULL: unknown */
	bool sleepable, autoload;
	uint64_t insns, total_insns; /* its own; with those of its subprograms, as loaded */
	const char *const *subprograms;
	uint32_t nsubprograms;
	uint32_t core_relocations; /* in its own instructions */
	const char *file;	   /* NULL: no line information */
	uint32_t line;
	const char *refused; /* why libbpf does not accept it; NULL: it does */
	const struct object_func *func;
};

struct object_map {
	const char *name, *section;
	const char *type; /* NULL: not given */
	uint32_t key_size, max_entries, flags, numa_node;
	uint64_t value_size, map_extra;
	const char *key_type, *value_type; /* NULL: sizes only */
	const char *pinning;		   /* NULL: none */
	const struct object_map *inner;	   /* definition of its inner maps; NULL: not a map of maps */
	uint32_t ninner;
	/* What it holds at first, in the order of the file: "[0] = &handler", "init = &start". */
	const char **initial;
	uint32_t ninitial;
	size_t room;
	bool internal; /* made by libbpf from a data section */
};

struct object_var {
	const char *name, *section, *type;
	uint64_t offset, size;
	bool global;	   /* not static */
	const char *value; /* JSON; NULL: all zero, or too long */
};

struct object_extern {
	const char *name, *kind, *type; /* kind: "ksym" or "kconfig" */
	uint32_t type_id;
	bool weak;
};

struct object_core {
	const char *program, *section; /* program: the function; NULL: not in a function */
	uint64_t insn;		       /* counted from the beginning of the function, or else of the section */
	const char *kind;
	uint32_t type_id;
	const char *type, *path, *access; /* path NULL: the type itself, or an invalid access string */
};

struct object_rec {
	const char *file;
	const char *arch;    /* NULL: any, or unknown */
	const char *license; /* NULL: none */
	bool gpl_compatible;
	uint32_t version;
	uint64_t btf_size, btf_types;
	uint32_t core_relocations;
	const struct object_section *sections;
	const struct object_prog *programs;
	const struct object_map *maps;
	const struct object_var *variables;
	const struct object_extern *externs;
	const struct object_core *relocations;
	uint32_t nsections, nprograms, nmaps, nvariables, nexterns, nrelocations;
};
extern const struct schema object_section_schema, object_prog_schema, object_map_schema, object_var_schema,
	object_extern_schema, object_core_schema;

/* List all sections, or those that are relevant for BPF. */
void object_sections(const struct object *o, bool all, const struct object_section **ret, uint32_t *ret_n);
/* 0 or -errno; -E2BIG: too many calls to follow. */
int object_progs(const struct object *o, const struct object_prog **ret, uint32_t *ret_n, struct err *e);
void object_maps(const struct object *o, const struct object_map **ret, uint32_t *ret_n);
/* @brief: values for plain text, truncated if they are long. */
void object_vars(const struct object *o, bool brief, const struct object_var **ret, uint32_t *ret_n);
void object_externs(const struct object *o, const struct object_extern **ret, uint32_t *ret_n);
void object_cores(const struct object *o, const struct object_core **ret, uint32_t *ret_n);
/* "byte_off struct task_struct.pid (0:0)". @part: of .BTF.ext about @section, record @i. */
struct ext_part;
const char *object_core_text(const struct object *o, uint32_t section, const struct ext_part *part, uint32_t i);
uint32_t object_ncores(const struct object *o);
const char *object_license(const struct object *o); /* NULL: none, or not terminated */
uint32_t object_version(const struct object *o);    /* 0: none */
bool license_gpl_compatible(const char *license);
/* Name of the map that libbpf makes from a data section: "progs.data". */
const char *object_data_map_name(const struct object *o, const char *section);
