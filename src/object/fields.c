/* SPDX-License-Identifier: BSD-2-Clause */

#include "kernel/names.h"
#include "object/object.h"
#include "object/read.h"

#define D .flags = FIELD_DEFAULT
#define DN .flags = FIELD_DEFAULT | FIELD_NONZERO
#define N .flags = FIELD_NONZERO

static const struct field section_fields[] = {
	FIELD(object_section, index, "index", "number (of the section)", D),
	FIELD(object_section, name, "name", "its name", .title = "SECTION", D),
	FIELD(object_section, type, "type", "type of the section", D),
	FIELD(object_section, flags, "section_flags", "its flags as letters, as readelf(1) prints them",
	      .title = "FLAGS", DN),
	FIELD(object_section, size, "size", "size in bytes", .unit = FU_SIZE, D),
};

static size_t section_text(const void *row, char *buf, size_t size)
{
	const struct object_section *s = row;

	return str_snprintf(buf, size, "%s %lluB", s->name, llu(s->size));
}
const struct schema object_section_schema =
	SCHEMA("object_section", object_section, section_fields, .text = section_text);

static const struct field prog_fields[] = {
	FIELD(object_prog, name, "name", "its function", .role = ROLE_NAME, .title = "PROGRAM", D),
	FIELD(object_prog, section, "section", "section that it is in, which determines its type", D),
	FIELD(object_prog, type, "type", "program type, by the section's name", .among = &names_prog_type,
	      .role = ROLE_KIND, DN),
	FIELD(object_prog, attach_type, "attach_type", "hook at which the program runs, by the section's name",
	      .among = &names_attach_type, .role = ROLE_KIND, N),
	FIELD(object_prog, target, "target", "what it attaches to, by the section's name", N),
	FIELD(object_prog, sleepable, "sleepable", "whether it may sleep", N),
	FIELD(object_prog, autoload, "autoload", "whether it is loaded by default"),
	FIELD(object_prog, insns, "insns", "number of instructions; an 8-byte load counts as two", D),
	FIELD(object_prog, total_insns, "total_insns",
	      "number of instructions with those of its subprograms, as loaded"),
	FIELD_LIST(object_prog, subprograms, nsubprograms, FT_STR, "subprograms",
		   "functions that it calls, directly or not", DN, .drop = 2),
	FIELD(object_prog, core_relocations, "core_relocations",
	      "number of CO-RE relocations, without those of functions that it calls", .title = "CORE", D),
	FIELD(object_prog, refused, "unsupported", "why libbpf does not accept it as a function, and refuses the file",
	      N),
	FIELD(object_prog, file, "file", "the file that its source begins in", DN, .drop = 1),
	FIELD(object_prog, line, "line", "line that it begins in", DN),
};
const struct schema object_prog_schema = SCHEMA("object_prog", object_prog, prog_fields);

#define OBJECT_MAP_FIELDS(shown) \
	FIELD(object_map, type, "type", "map type", .among = &names_map_type, .role = ROLE_KIND, .also = "map_type", \
	      .flags = FIELD_NONZERO | (shown)), \
		FIELD(object_map, key_size, "bytes_key", "size of a key", .was = "key_size", .unit = FU_SIZE, \
		      .title = "KEY", .flags = (shown)), \
		FIELD(object_map, value_size, "bytes_value", "size of a value", .was = "value_size", .unit = FU_SIZE, \
		      .title = "VALUE", .flags = (shown)), \
		FIELD(object_map, max_entries, "max_entries", "maximum number of elements; 0: set by the loader", \
		      .flags = (shown)), \
		FIELD(object_map, flags, "flags", "flags it is created with", .unit = FU_HEX, .flags = (shown)), \
		FIELD(object_map, key_type, "key_type", "C type of the keys", .flags = FIELD_NONZERO | (shown), \
		      .drop = 1), \
		FIELD(object_map, value_type, "value_type", "C type of the values", .flags = FIELD_NONZERO | (shown), \
		      .drop = 2), \
		FIELD(object_map, map_extra, "map_extra", "setting of its type", .unit = FU_HEX, N), \
		FIELD(object_map, numa_node, "numa_node", "NUMA node that its memory is on", N)
static const struct field inner_fields[] = {
	FIELD(object_map, name, "name", "name of the definition", .role = ROLE_NAME, N),
	OBJECT_MAP_FIELDS(0),
};

static size_t inner_text(const void *row, char *buf, size_t size)
{
	const struct object_map *m = row;

	return str_snprintf(buf, size, "%s key %uB value %lluB max_entries %u", m->type ? m->type : "?", m->key_size,
			    llu(m->value_size), m->max_entries);
}
static const struct schema inner_schema = SCHEMA("object_inner_map", object_map, inner_fields, .text = inner_text);

static const struct field map_fields[] = {
	FIELD(object_map, name, "name", "its name", .role = ROLE_NAME, .title = "MAP", D),
	OBJECT_MAP_FIELDS(FIELD_DEFAULT),
	FIELD(object_map, pinning, "pinning", "how libbpf pins it", DN, .drop = 3),
	FIELD_ROWS(object_map, inner, ninner, &inner_schema, "inner_map", "definition of its inner maps",
		   .title = "INNER", .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_SINGLE, .drop = 4),
	FIELD_LIST(object_map, initial, ninitial, FT_STR, "initial",
		   "programs, maps and functions that are in it at first, by index or member", N),
	FIELD(object_map, section, "section", "section that it is made from"),
	FIELD(object_map, internal, "internal", "whether it is a data section"),
};
const struct schema object_map_schema = SCHEMA("object_map", object_map, map_fields);

static const struct field var_fields[] = {
	FIELD(object_var, name, "name", "its name", .role = ROLE_NAME, .title = "VARIABLE", D),
	FIELD(object_var, type, "type", "its C type", D),
	FIELD(object_var, section, "section", "section that it is in", D),
	FIELD(object_var, offset, "offset", "offset in bytes, in its section", D),
	FIELD(object_var, size, "size", "size in bytes", .unit = FU_SIZE, D),
	FIELD(object_var, global, "global", "whether user space can name it; else it is static"),
	FIELD_AS(object_var, value, FT_JSON, "value",
		 "value that it has at first; not in .bss, where all is 0, nor of more than 64 KiB", D),
};
const struct schema object_var_schema = SCHEMA("object_variable", object_var, var_fields);

static const struct field extern_fields[] = {
	FIELD(object_extern, name, "name", "its name", .role = ROLE_NAME, .title = "EXTERN", D),
	FIELD(object_extern, kind, "kind",
	      "kind: ksym, a kernel symbol, or kconfig, an option that the kernel was built with", D),
	FIELD(object_extern, type, "type", "its C type", D),
	FIELD(object_extern, weak, "weak", "whether it may be missing", D),
};
const struct schema object_extern_schema = SCHEMA("object_extern", object_extern, extern_fields);

static const struct field core_fields[] = {
	FIELD(object_core, program, "func", "the function that it is in", .was = "program", DN),
	FIELD(object_core, section, "section", "section that it is in"),
	FIELD(object_core, insn, "insn", "instruction, counted from the function's first", D),
	FIELD(object_core, kind, "kind",
	      "kind: what is taken from the kernel's types, such as offset, size or existence", D),
	FIELD(object_core, type, "type", "the type in the object file", D),
	FIELD(object_core, path, "member", "member, or enumerator", DN),
	FIELD(object_core, access, "access", "indexes of the members on the path to it", D),
	FIELD(object_core, type_id, "type_id", "number of the type, in the object file"),
};
const struct schema object_core_schema = SCHEMA("object_relocation", object_core, core_fields);

#define OBJECT_FIELD_PART(m, n, schema, name, help) \
	FIELD_ROWS(object_rec, m, n, &schema, name, help, .flags = FIELD_NOPLAIN)
enum { L_HEAD, L_TYPES, L_SECTIONS };
static const struct field object_fields[] = {
	FIELD(object_rec, file, "file", "the file", .plain = "%:", .line = L_HEAD, .col = 0),
	FIELD(object_rec, license, "license", "licence of its programs", .line = L_HEAD, .col = 1, N),
	FIELD(object_rec, gpl_compatible, "gpl_compatible",
	      "whether it may call helpers that are only for GPL programs", .plain = "  gpl|", .line = L_HEAD,
	      .col = 2),
	FIELD(object_rec, version, "kern_version", "kernel version, which old kernels required", .plain = "  version %",
	      .unit = FU_HEX, .line = L_HEAD, .col = 3, N),
	FIELD(object_rec, arch, "arch", "architecture that it is compiled for, by its types of registers",
	      .plain = "  arch %", .line = L_HEAD, .col = 4, N),
	FIELD(object_rec, btf_size, "btf_size", "size of its types", .unit = FU_SIZE, .plain = "btf %B",
	      .line = L_TYPES, .col = 0, N),
	FIELD(object_rec, btf_types, "btf_types", "number of its types", .plain = "  types %", .line = L_TYPES,
	      .col = 1, N),
	FIELD(object_rec, core_relocations, "core_relocations",
	      "number of CO-RE relocations, which depend on the kernel's types", .line = L_TYPES, .col = 2),
	FIELD_ROWS(object_rec, sections, nsections, &object_section_schema, "sections",
		   "sections that are relevant for BPF", .plain = "sections %", .line = L_SECTIONS, N),
	OBJECT_FIELD_PART(programs, nprograms, object_prog_schema, "programs", "the programs"),
	OBJECT_FIELD_PART(maps, nmaps, object_map_schema, "maps",
			  "its maps, with those that libbpf makes from data sections"),
	OBJECT_FIELD_PART(variables, nvariables, object_var_schema, "variables", "its global variables"),
	OBJECT_FIELD_PART(externs, nexterns, object_extern_schema, "externs", "what it takes from the kernel by name"),
	OBJECT_FIELD_PART(relocations, nrelocations, object_core_schema, "relocations", "its CO-RE relocations"),
};
const struct schema object_schema = SCHEMA("object", object_rec, object_fields);
