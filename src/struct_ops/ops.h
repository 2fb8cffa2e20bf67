/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in read.c. */

#include "record/field.h"
#include "kernel/abi.h"

struct env;
struct object_label;
struct btf_types;
struct command;

/* A program in a table of operations. */
struct ops_prog {
	const char *member; /* name of the member in the kernel's struct */
	uint32_t id;
	const char *name; /* NULL: unknown, or not asked for */
	uint8_t has_name; /* enum avail */
};

/* One struct_ops map. Strings and lists live in env->arena. */
struct ops_rec {
	struct abi_map_info info;
	const char *name;
	const char *type;      /* the kernel's struct: "tcp_congestion_ops"; NULL: the types cannot be read */
	const char *state;     /* "init", "inuse", "tobefree", "ready", or a number; NULL: cannot be read */
	bool by_link;	       /* registered by links, not by itself */
	const uint32_t *links; /* ascending */
	const struct ops_prog *progs;
	uint32_t nlinks, nprogs;
	uint8_t has_type, has_value, has_links; /* enum avail */
};
extern const struct schema schema_struct_ops;

/* kind.h; @rec is a struct ops_rec. -ENOENT also for a map of another type. */
int ops_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
int ops_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e);

/* The types of its value, valid as long as the cache of types. */
struct ops_types {
	const struct btf_types *types;
	uint32_t value;	  /* struct bpf_struct_ops_NAME */
	const char *name; /* NAME */
};
int ops_types(struct env *env, const struct abi_map_info *info, struct ops_types *ret, struct err *e);
/* Get the value, in env->arena. 0, or -errno with @e set. */
struct blob;
int ops_value(struct env *env, uint32_t id, struct blob *ret, struct err *e);
/* A program's name, in env->keep, read once for each program; NULL: none, or unknown. */
const char *ops_prog_name(struct env *env, uint32_t id);

extern const struct command ops_dump;
