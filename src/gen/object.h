/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEN_OBJECT_H
#define GEN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct env;
struct err;
struct bpf_object;
struct bpf_map;
struct bpf_program;
struct btf_types;
/*
 * What a header is made of: an object file as libbpf opens it. Idents are names that C takes; lists live in env->keep.
 */
struct gen_var {
	const char *name, *ident;
	uint32_t type;	    /* id */
	uint64_t off, size; /* of its type, in its section */
};
struct gen_map {
	const char *name, *ident;   /* name: libbpf's, for an object of the header's name: "x_bpf.rodata" */
	const char *section;	    /* made of it: ".rodata"; else NULL */
	const char *data;	    /* ident of its variables, which user space sees; NULL: it does not */
	const struct gen_var *vars; /* ascending, without those that are static */
	size_t nvars;
	bool struct_ops;
	uint32_t ops_type; /* the struct that it implements; 0: not known */
	const char *ops_ident;
	struct bpf_map *map;
};
struct gen_prog {
	const char *name, *ident;
	struct bpf_program *prog;
};

struct gen_object {
	const char *name, *upper; /* of the header's structs and functions; the same in capitals */
	struct str elf;
	struct bpf_object *obj;
	struct btf_types *types; /* NULL: it has no BTF */
	struct gen_map *maps;
	struct gen_prog *progs;
	size_t nmaps, nprogs, nops; /* nops: struct_ops maps whose type is known */
	const char *left_out;	    /* a map that no header can have; NULL: none */
	bool links_maps;	    /* there is a struct_ops map */
};
/* @name: of the header; NULL: the file's. */
int gen_object_open(struct gen_object *ret, struct env *env, const char *path, const char *name, struct err *e);
void gen_object_close(struct gen_object *o);
#define GEN_OBJECT(o) __attribute__((cleanup(gen_object_close))) struct gen_object o = { 0 }

#endif
