/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
#include "object/object.h"
#include "object/read.h"

#define D .flags = FIELD_DEFAULT
#define DN .flags = FIELD_DEFAULT | FIELD_NONZERO
#define N .flags = FIELD_NONZERO

#define SECTION(m, name, help, ...) FIELD(struct object_section, m, name, help, ##__VA_ARGS__)
static const struct field section_fields[] = {
	SECTION(index, "index", "number (of the section)", D),
	SECTION(name, "name", "its name", .title = "SECTION", D),
	SECTION(type, "type", "type of the section", D),
	SECTION(flags, "section_flags", "its flags as letters, as readelf(1) prints them", .title = "FLAGS", DN),
	SECTION(size, "size", "size in bytes", .unit = FU_SIZE, D),
};

static size_t section_text(const void *row, char *buf, size_t size)
{
	const struct object_section *s = row;
	int n = snprintf(buf, size, "%s %lluB", s->name, (unsigned long long)s->size);

	return n > 0 ? (size_t)n : 0;
}
const struct schema object_section_schema =
	SCHEMA("object_section", struct object_section, section_fields, .text = section_text);

#define PROG(m, name, help, ...) FIELD(struct object_prog, m, name, help, ##__VA_ARGS__)
static const struct field prog_fields[] = {
	PROG(name, "name", "its function", .role = ROLE_NAME, .title = "PROGRAM", D),
	PROG(section, "section", "section that it is in, which determines its type", D),
	PROG(type, "type", "program type, by the section's name", .role = ROLE_KIND, DN),
	PROG(attach_type, "attach_type", "hook at which the program runs, by the section's name", .role = ROLE_KIND, N),
	PROG(target, "target", "what it attaches to, by the section's name", N),
	PROG(sleepable, "sleepable", "whether it may sleep", N),
	PROG(autoload, "autoload", "whether it is loaded by default"),
	PROG(insns, "insns", "number of instructions; an 8-byte load counts as two", D),
	PROG(total_insns, "total_insns", "number of instructions with those of its subprograms, as loaded"),
	FIELD_LIST(struct object_prog, subprograms, nsubprograms, FT_STR, "subprograms",
		   "functions that it calls, directly or not", DN, .drop = 2),
	PROG(core_relocations, "core_relocations",
	     "number of CO-RE relocations, without those of functions that it calls", .title = "CORE", D),
	PROG(refused, "unsupported", "why libbpf does not accept it as a function, and refuses the file", N),
	PROG(file, "file", "the file that its source begins in", DN, .drop = 1),
	PROG(line, "line", "line that it begins in", DN),
};
const struct schema object_prog_schema = SCHEMA("object_prog", struct object_prog, prog_fields);

#define MAP(m, name, help, ...) FIELD(struct object_map, m, name, help, ##__VA_ARGS__)
#define MAP_NUMBERS(shown) \
	MAP(type, "type", "map type", .role = ROLE_KIND, .also = "map_type", .flags = FIELD_NONZERO | (shown)), \
		MAP(key_size, "key_size", "bytes of a key", .unit = FU_SIZE, .title = "KEY", .flags = (shown)), \
		MAP(value_size, "value_size", "bytes of a value", .unit = FU_SIZE, .title = "VALUE", \
		    .flags = (shown)), \
		MAP(max_entries, "max_entries", "maximum number of elements; 0: set by the loader", .flags = (shown)), \
		MAP(flags, "flags", "flags it is created with", .unit = FU_HEX, .flags = (shown)), \
		MAP(key_type, "key_type", "C type of the keys", .flags = FIELD_NONZERO | (shown), .drop = 1), \
		MAP(value_type, "value_type", "C type of the values", .flags = FIELD_NONZERO | (shown), .drop = 2), \
		MAP(map_extra, "map_extra", "setting of its type", .unit = FU_HEX, N), \
		MAP(numa_node, "numa_node", "NUMA node that its memory is on", N)
static const struct field inner_fields[] = {
	MAP(name, "name", "name of the definition", .role = ROLE_NAME, N),
	MAP_NUMBERS(0),
};

static size_t inner_text(const void *row, char *buf, size_t size)
{
	const struct object_map *m = row;
	int n = snprintf(buf, size, "%s key %uB value %lluB max_entries %u", m->type ? m->type : "?", m->key_size,
			 (unsigned long long)m->value_size, m->max_entries);

	return n > 0 ? (size_t)n : 0;
}
static const struct schema inner_schema =
	SCHEMA("object_inner_map", struct object_map, inner_fields, .text = inner_text);

static const struct field map_fields[] = {
	MAP(name, "name", "its name", .role = ROLE_NAME, .title = "MAP", D),
	MAP_NUMBERS(FIELD_DEFAULT),
	MAP(pinning, "pinning", "how libbpf pins it", DN, .drop = 3),
	FIELD_ROWS(struct object_map, inner, ninner, &inner_schema, "inner_map", "definition of its inner maps",
		   .title = "INNER", .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_SINGLE, .drop = 4),
	MAP(section, "section", "section that it is made from"),
	MAP(internal, "internal", "whether it is a data section"),
};
const struct schema object_map_schema = SCHEMA("object_map", struct object_map, map_fields);

#define VAR(m, name, help, ...) FIELD(struct object_var, m, name, help, ##__VA_ARGS__)
static const struct field var_fields[] = {
	VAR(name, "name", "its name", .title = "VARIABLE", D),
	VAR(type, "type", "its C type", D),
	VAR(section, "section", "section that it is in", D),
	VAR(offset, "offset", "offset in bytes, in its section", D),
	VAR(size, "size", "size in bytes", .unit = FU_SIZE, D),
	VAR(global, "global", "whether user space can name it; else it is static"),
	FIELD_AS(struct object_var, value, FT_JSON, "value",
		 "value that it has at first; not in .bss, where all is 0, nor of more than 64 KiB", D),
};
const struct schema object_var_schema = SCHEMA("object_variable", struct object_var, var_fields);

#define EXTERN(m, name, help, ...) FIELD(struct object_extern, m, name, help, ##__VA_ARGS__)
static const struct field extern_fields[] = {
	EXTERN(name, "name", "its name", .title = "EXTERN", D),
	EXTERN(kind, "kind", "kind: ksym, a kernel symbol, or kconfig, an option that the kernel was built with", D),
	EXTERN(type, "type", "its C type", D),
	EXTERN(weak, "weak", "whether it may be missing", D),
};
const struct schema object_extern_schema = SCHEMA("object_extern", struct object_extern, extern_fields);

#define CORE(m, name, help, ...) FIELD(struct object_core, m, name, help, ##__VA_ARGS__)
static const struct field core_fields[] = {
	CORE(program, "program", "function that it is in", DN),
	CORE(section, "section", "section that it is in"),
	CORE(insn, "insn", "instruction, counted from the function's first", D),
	CORE(kind, "kind", "kind: what is taken from the kernel's types, such as offset, size or existence", D),
	CORE(type, "type", "the type in the object file", D),
	CORE(path, "member", "member, or enumerator", DN),
	CORE(access, "access", "indexes of the members on the path to it", D),
	CORE(type_id, "type_id", "number of the type, in the object file"),
};
const struct schema object_core_schema = SCHEMA("object_relocation", struct object_core, core_fields);

#define REC struct object_rec
#define PART(m, n, schema, name, help) FIELD_ROWS(REC, m, n, &schema, name, help, .flags = FIELD_NOPLAIN)
enum { L_HEAD, L_TYPES, L_SECTIONS };
static const struct field object_fields[] = {
	FIELD(REC, file, "file", "the file", .plain = "%:", .line = L_HEAD, .col = 0),
	FIELD(REC, license, "license", "licence of its programs", .line = L_HEAD, .col = 1, N),
	FIELD(REC, gpl_compatible, "gpl_compatible", "whether it may call helpers that are only for GPL programs",
	      .plain = "  gpl|", .line = L_HEAD, .col = 2),
	FIELD(REC, version, "kern_version", "kernel version, which old kernels required", .plain = "  version %",
	      .unit = FU_HEX, .line = L_HEAD, .col = 3, N),
	FIELD(REC, arch, "arch", "architecture that it is compiled for, by its types of registers", .plain = "  arch %",
	      .line = L_HEAD, .col = 4, N),
	FIELD(REC, btf_size, "btf_size", "size of its types", .unit = FU_SIZE, .plain = "btf %B", .line = L_TYPES,
	      .col = 0, N),
	FIELD(REC, btf_types, "btf_types", "number of its types", .plain = "  types %", .line = L_TYPES, .col = 1, N),
	FIELD(REC, core_relocations, "core_relocations",
	      "number of CO-RE relocations, which depend on the kernel's types", .line = L_TYPES, .col = 2),
	FIELD_ROWS(REC, sections, nsections, &object_section_schema, "sections", "sections that are relevant for BPF",
		   .plain = "sections %", .line = L_SECTIONS, N),
	PART(programs, nprograms, object_prog_schema, "programs", "the programs"),
	PART(maps, nmaps, object_map_schema, "maps", "its maps, with those that libbpf makes from data sections"),
	PART(variables, nvariables, object_var_schema, "variables", "its global variables"),
	PART(externs, nexterns, object_extern_schema, "externs", "what it takes from the kernel by name"),
	PART(relocations, nrelocations, object_core_schema, "relocations", "its CO-RE relocations"),
};
const struct schema object_schema = SCHEMA("object", REC, object_fields);
