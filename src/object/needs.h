/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in cmd_needs.c, fits.c and kernel.c. */

#include "base/base.h"

struct env;
struct object;
struct btf_types;
struct feature_answer;
struct core_target;
struct core_reloc;
struct names;
/* What an object file needs from a kernel to be loaded, and whether the kernel has it. */

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
	NEEDED_LIBBPF,
	NEEDED_TYPE,
	NEEDED_MEMBER,
	NEEDED_ENUMERATOR,
	NEEDED_FEATURE,
	NEEDED_KINDS
};
extern const char *const needed_words[NEEDED_KINDS]; /* "helper" */
extern const struct names needs_verdict_names;	     /* of needs_rec.verdict */
enum needed_state {
	NEEDED_MISSING,
	NEEDED_LOADER,	/* the loader has to set it */
	NEEDED_UNKNOWN, /* unknown: the kernel does not report it */
	NEEDED_HERE,
	NEEDED_STATES
};
struct needed {
	enum needed_kind kind;
	enum needed_state state;
	const char *name; /* "bpf_ringbuf_output", "struct task_struct.pid" */
	const char *type; /* type of the programs that call the helper; NULL: any type */
	const char **programs;
	uint32_t nprograms;
	size_t room;
	const char *why;      /* what the kernel has instead, or why the state is unknown; NULL: no more is known */
	const char *optional; /* why it may be missing; NULL: it may not be */
	struct needed *same, *next; /* same: the next with the same hash; next: the next found */
};

/* A kernel: a machine, or only types. */
struct need_kernel {
	struct env *env;		       /* the machine to ask, unless the types are from a file */
	const char *name;		       /* "Linux 6.12.9-amd64", or the file's path */
	bool file;			       /* types from a file; nothing else is known */
	const struct btf_types *types;	       /* NULL: none, or unknown */
	bool typeless;			       /* @types is NULL because the kernel has none */
	const struct feature_answer *features; /* NULL: unknown */
	const char *no_features;	       /* why features is NULL */
	const char *config;		       /* NULL: unknown */
	uint32_t version;		       /* KERNEL_VERSION(); 0: unknown */
	const uint32_t *modules;	       /* BTF ids */
	size_t nmodules;
	bool has_modules, tagged; /* has_modules: they were searched; tagged: kfuncs are marked by a tag */
};
/* @which: a file with types, an archive, or "live"; NULL: env's machine. Everything is in env->keep. 0 or -errno. */
int need_kernel_open(struct env *env, const char *which, struct need_kernel *ret, struct err *e);

/* What the kernel has. *ret_why is set to the reason, or left unchanged if there is none. */
enum needed_state kernel_prog_type(const struct need_kernel *k, uint32_t type, const char **ret_why);
enum needed_state kernel_attach_type(const struct need_kernel *k, uint32_t prog, uint32_t attach, const char **ret_why);
enum needed_state kernel_map_type(const struct need_kernel *k, const char *type, const char **ret_why);
enum needed_state kernel_helper(const struct need_kernel *k, uint32_t prog, uint32_t id, const char **ret_why);
enum needed_state kernel_misc(const struct need_kernel *k, const char *name, const char **ret_why);
/* The state of what needs types, if there are none. */
enum needed_state kernel_typeless(const struct need_kernel *k, const char **ret_why);
/* Is there a type of that kind, also in modules? */
enum needed_state kernel_named(struct need_kernel *k, const char *name, unsigned btf_kind, const char **ret_why);
enum needed_state kernel_kfunc(struct need_kernel *k, const char *name, const char **ret_why);
enum needed_state kernel_symbol(const struct need_kernel *k, const char *name, const char **ret_why);
/* "CONFIG_HZ": *ret is its value; NULL: not set. False: unknown. */
bool kernel_config(const struct need_kernel *k, const char *option, const char **ret);
/* Is there a member of a struct? For features with no other trace. */
enum needed_state kernel_member(const struct need_kernel *k, const char *type, const char *member,
				const char **ret_why);
/* Is there an enumerator, of any enum? If @with, an older enumerator of the same enum, is not there either, the enum is
 * not in the types, and the answer is unknown. */
enum needed_state kernel_enumerator(const struct need_kernel *k, const char *name, const char *with,
				    const char **ret_why);
/* Does a relocation have a target, also in modules? */
enum needed_state kernel_core(struct need_kernel *k, struct core_target *t, const struct core_reloc *r,
			      const char **ret_why);

struct needs_rec {
	const char *file, *kernel;
	enum needed_state verdict;	       /* NEEDED_MISSING, NEEDED_UNKNOWN or NEEDED_HERE */
	const struct needed *needs;	       /* missing ones first */
	uint32_t nneeds, count[NEEDED_STATES]; /* count: of those that are not optional */
};
struct schema;
/* Whether a kernel has what a file needs: a row of a table of files and kernels. */
struct object_fit {
	const char *file, *kernel, *from; /* from: the archive, or file with types */
	enum needed_state state;	  /* as needs_rec.verdict */
	const char *const *names;	  /* what is missing */
	uint32_t nnames, nunknown, nloader;
	const char *why; /* why nothing is known; NULL: it is */
};
extern const struct schema object_fit_schema;
/* Print that table; @kernels: a directory with files for need_kernel_open(), or one of them. Kernels and files that
 * cannot be read have a row that says why. */
int object_fits(struct env *env, const char *const *files, size_t n, const char *kernels, struct err *e);
int needs_read(const struct object *o, struct need_kernel *k, struct needs_rec *ret, struct err *e);

extern const struct command object_needs;
extern const struct schema needs_schema;
