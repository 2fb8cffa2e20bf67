/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_NEEDS_H
#define OBJECT_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;
struct err;
struct object;
struct btf_types;
struct feature_answer;
struct core_target;
struct core_reloc;
struct arena;
struct object_func;
struct object_prog;
struct object_map;
struct elf_symbol;
/* What an object file needs of a kernel to be loaded there, and which of it is there. */

enum needed_kind {
	NEEDED_PROG_TYPE,
	NEEDED_ATTACH_TYPE,
	NEEDED_TARGET,
	NEEDED_HELPER,
	NEEDED_KFUNC,
	NEEDED_KSYM,
	NEEDED_KCONFIG,
	NEEDED_MAP_TYPE,
	NEEDED_MAP_FLAG,
	NEEDED_MAP_SIZE,
	NEEDED_PIN,
	NEEDED_TYPE,
	NEEDED_MEMBER,
	NEEDED_ENUMERATOR,
	NEEDED_FEATURE,
	NEEDED_KINDS
};
enum needed_state {
	NEEDED_MISSING,
	NEEDED_LOADER, /* whoever loads it has to say */
	NEEDED_UNTOLD, /* the kernel's side does not say */
	NEEDED_HERE,
	NEEDED_STATES
};
struct needed {
	enum needed_kind kind;
	enum needed_state state;
	const char *name; /* "bpf_ringbuf_output", "struct task_struct.pid" */
	const char *type; /* of the programs that call the helper; NULL: for all alike */
	const char **programs;
	uint32_t nprograms, room;
	const char *why;	    /* what there is instead, or why it is not told; NULL: nothing to say */
	const char *optional;	    /* why it may be missing; NULL: it may not */
	struct needed *same, *next; /* with the same hash; the next that was met */
};

/* A kernel: a machine, or only its types. */
struct need_kernel {
	struct env *env;		       /* the machine that is asked; with types from a file not asked */
	const char *name;		       /* "6.12.9-amd64", or the file */
	bool file;			       /* only types are known */
	const struct btf_types *types;	       /* NULL: none */
	bool typeless;			       /* the kernel has none; else, with NULL, they are not known */
	const struct feature_answer *features; /* NULL: it does not say; */
	const char *no_features;	       /* why */
	const char *config;		       /* NULL: not known */
	uint32_t version;		       /* KERNEL_VERSION(); 0: not known */
	const uint32_t *modules;	       /* BTF ids */
	size_t nmodules;
	bool has_modules, tagged; /* modules: were looked for; tagged: functions for programs are marked as such */
};
/* @which: a file with types, an archive, "live"; NULL: env's machine. All lives in env->keep. */
int need_kernel_open(struct env *env, const char *which, struct need_kernel *ret, struct err *e);

/* Answers. *ret_why is set, or left alone where there is nothing to say. */
enum needed_state kernel_prog_type(const struct need_kernel *k, uint32_t type, const char **ret_why);
enum needed_state kernel_attach_type(const struct need_kernel *k, uint32_t prog, uint32_t attach, const char **ret_why);
enum needed_state kernel_map_type(const struct need_kernel *k, const char *type, const char **ret_why);
enum needed_state kernel_helper(const struct need_kernel *k, uint32_t prog, uint32_t id, const char **ret_why);
enum needed_state kernel_misc(const struct need_kernel *k, const char *name, const char **ret_why);
/* What needs types, where there are none. */
enum needed_state kernel_typeless(const struct need_kernel *k, const char **ret_why);
/* A type of that kind, also in modules. */
enum needed_state kernel_named(struct need_kernel *k, const char *name, unsigned btf_kind, const char **ret_why);
enum needed_state kernel_kfunc(struct need_kernel *k, const char *name, const char **ret_why);
enum needed_state kernel_symbol(const struct need_kernel *k, const char *name, const char **ret_why);
/* "CONFIG_HZ": *ret is its value, NULL if it is not set. False: not known. */
bool kernel_config(const struct need_kernel *k, const char *option, const char **ret);
/* A member of a struct, for what there is no other trace of. */
enum needed_state kernel_member(const struct need_kernel *k, const char *type, const char *member,
				const char **ret_why);
/* An enumerator of whatever enum; where also @with, which is older, is in none, types have no such enums. */
enum needed_state kernel_enumerator(const struct need_kernel *k, const char *name, const char *with,
				    const char **ret_why);
/* Does a relocation lead somewhere, also in modules? */
enum needed_state kernel_core(struct need_kernel *k, struct core_target *t, const struct core_reloc *r,
			      const char **ret_why);

struct needs_rec {
	const char *file, *kernel;
	enum needed_state verdict;	       /* NEEDED_MISSING, NEEDED_UNTOLD or NEEDED_HERE */
	const struct needed *needs;	       /* missing first */
	uint32_t nneeds, count[NEEDED_STATES]; /* count: of what is not optional */
};
int needs_read(const struct object *o, struct need_kernel *k, struct needs_rec *ret, struct err *e);

extern const struct command object_needs;
extern const struct schema needs_schema;

#endif
