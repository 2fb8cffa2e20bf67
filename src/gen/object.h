/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/keys.h"

struct env;
struct bpf_object;
struct bpf_map;
struct bpf_program;
struct btf_types;
/* What a header is made from: an object file opened by libbpf. Idents are valid names in C; lists are in env->keep. */
struct gen_var {
	const char *name, *ident;
	uint32_t type;	    /* id */
	uint64_t off, size; /* off: in its section; size: of its type */
};
struct gen_map {
	const char *name, *ident;   /* name: from libbpf, for an object with the header's name: "x_bpf.rodata" */
	const char *section;	    /* section it is made from: ".rodata"; NULL: none */
	const char *data;	    /* ident of its variables, if user space can see them; else NULL */
	const struct gen_var *vars; /* ascending by offset, without static ones */
	size_t nvars;
	bool struct_ops;
	uint32_t ops_type; /* type id of the struct that it implements; 0: unknown */
	const char *ops_ident;
	struct bpf_map *map;
};
struct gen_prog {
	const char *name, *ident;
	struct bpf_program *prog;
};

struct gen_object {
	const char *name, *upper; /* name of the header's structs and functions; the same in capitals */
	struct str elf;
	struct bpf_object *obj;
	struct btf_types *types; /* NULL: it has no BTF */
	struct gen_map *maps;
	struct gen_prog *progs;
	size_t nmaps, nprogs, nops;   /* nops: struct_ops maps with a known type */
	struct keys idents, sections; /* idents of maps and of their variables, each used once */
	const char *left_out;	      /* a map that no header can have; NULL: none */
	bool links_maps;	      /* there is a struct_ops map */
};
/* Open an object file. @name: name for the header; NULL: from the file name. 0 or -errno. */
int gen_object_open(struct gen_object *ret, struct env *env, const char *path, const char *name, struct err *e);
void gen_object_close(struct gen_object *o);
#define GEN_OBJECT(o) __attribute__((cleanup(gen_object_close))) struct gen_object o = { 0 }
