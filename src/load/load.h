/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in loader.c, maps.c, pin.c, sections.c and slots.c. */

#include "cli/command.h"
#include "kernel/loader.h"

struct hash;
struct object;
struct bpf_object;
struct bpf_program;
struct bpf_map;
struct bpf_link;
struct load_prog;
/*
 * Load an object file into the kernel: open it, choose and set up its programs, load, pin. All or nothing: load_close()
 * undoes each step unless load_keep() was called.
 */

/* Choose the programs to load with bpf_program__set_autoload(). Returns 0, or -errno with @e set. Choosing none is
 * valid. */
typedef int load_choose(void *ctx, struct bpf_object *obj, struct err *e);

/* Options of a command: whether a loader program loads the file, and what signs that program. */
struct loader_opts {
	bool use, sign;
	const char *key, *cert;
};
#define LOADER_ARGS(T, m, use_help) \
	ARG("--use-loader", ARG_FLAG, T, m.use, use_help, .alias = "-L", .flags = ARG_EARLY), \
		ARG("--sign", ARG_FLAG, T, m.sign, "sign that program; implies -L (since Linux 6.18)", .alias = "-S", \
		    .flags = ARG_EARLY), \
		ARG("--private-key", ARG_PATH, T, m.key, "private key to sign with, PEM", .alias = "-k", \
		    .metavar = "FILE", .flags = ARG_EARLY), \
		ARG("--certificate", ARG_PATH, T, m.cert, "certificate of the signer: X.509, PEM or DER", \
		    .alias = "-i", .metavar = "FILE", .flags = ARG_EARLY)
/* Check which options need each other, and set those that others imply; call it before using them. 0, or -EINVAL with
 * @e set. */
int loader_opts_complete(struct loader_opts *o, struct err *e);

struct load_request {
	const char *path;
	const struct str *bytes; /* contents to open, valid as long as the struct load; NULL: open the file */
	const char *only;	 /* name of the only program to load; NULL: all that are loaded by default */
	bool maps_alone;	 /* accept a file with maps of which no program is loaded; as bpftool: any such file */
	load_choose *choose;	 /* instead of @only; or NULL */
	void *choose_ctx;
	const char *type;	   /* type of all programs as a section name: "xdp", "cgroup/skb"; NULL: by their
				      sections */
	const char *kernel_btf;	   /* file with the types to relocate against; NULL: those of the running kernel */
	const char *dev;	   /* network device that runs the programs and has the maps; NULL: the host */
	bool dev_bound;		   /* programs run on the host, bound to @dev */
	struct arg_list set;	   /* "limits.max=10": variables of its data sections to set */
	struct arg_list resize;	   /* "flows=64K": max_entries of its maps to set */
	struct arg_reuses reuse;   /* existing maps to use instead of its own */
	const char *maps_dir;	   /* directory whose pinned maps, by name, are used as well; NULL: none */
	struct loader_opts loader; /* load with a program in the kernel, see loader_make() */
	uint32_t log_level; /* of the verifier's log of each program (load/verdict.h); 0: only of a rejected one */
	bool coverage;	    /* with counters (object/coverage/coverage.h); functions without them are noted */
	struct arg_list uncounted; /* programs without counters, as refused by the verifier with them */
	bool relaxed_maps;	   /* accept map definitions with members that libbpf does not know */
	/* Not NULL: words of set, resize and reuse may name what the file does not have; those that name something are
	 * added, by load_word_key(). In a reuse, the word is the struct arg_reuse. */
	struct hash *found;
};

/* Where the file's programs, links and maps are pinned in a bpffs. */
struct load_pins {
	const char *path; /* pin of the first program; with @all a directory for all programs, by name; NULL: no pins */
	bool all;
	const char *maps; /* directory for all maps, by name with _ for dots; NULL: no pins */
	bool attach;	  /* attach programs that libbpf can attach by their sections, and pin their links instead */
	/* Does that for a program whose link libbpf cannot pin. -ENOTSUP without @e set: not such a program. NULL:
	 * none. */
	int (*attach_own)(struct env *env, struct load_prog *p, struct err *e);
};

/* A program of the file to load. */
struct load_prog {
	struct bpf_program *prog;
	int fd;		       /* owned by @prog; -1: not loaded yet */
	const char *log;       /* the verifier's log, valid as long as the struct load; "": not called, or no log */
	const char *pin;       /* path; NULL: none */
	struct bpf_link *link; /* NULL: not attached by libbpf */
	uint32_t link_id;      /* by attach_own(); 0: not so */
	bool taken;	       /* its path has a pin that the caller replaces: load_pin() leaves the program to it */
};
struct load_map {
	struct bpf_map *map;
	int fd;	     /* as for a program */
	bool was;    /* it already exists: it was pinned, or is reused */
	bool in_dir; /* it is reused from q.maps_dir */
	bool filled; /* the file has programs or maps for its slots */
	bool taken;  /* as of a program */
};
struct load_step {
	void (*undo)(const void *ctx);
	const void *ctx;
};
struct load {
	struct env *env;
	struct load_request q;
	struct str file;	     /* its contents, unless q.bytes has them */
	struct str counted;	     /* with q.coverage: the same with counters */
	const struct object *object; /* as our own reader has it, in env->keep */
	struct bpf_object *obj;
	struct load_prog *progs;
	struct load_map *maps; /* all maps, in the order of the file */
	size_t nprogs, nmaps;
	const struct bpf_map *refused; /* the map that could not be created; NULL: none, or it is unknown */
	char *logs;		       /* a mapping, log_size bytes for each program */
	size_t log_size;
	const struct load_pins *pins;
	struct load_step *steps; /* oldest first */
	size_t nsteps, steps_room;
	bool kept;
};
#define LOAD(l) __attribute__((cleanup(load_close))) struct load l = { 0 }

static inline uint64_t load_word_key(const void *word)
{
	return (uintptr_t)word;
}
/* Open the file and set it up; nothing is loaded. -ENOENT for names that are not in the file, with a hint that lists
 * those that are. */
int load_open(struct load *l, struct env *env, const struct load_request *q, struct err *e);
/* Load it. If the verifier rejected a program, env->report has the reason. */
int load_load(struct load *l, struct err *e);
/* Call it between the two: choose the paths, and fail for those that cannot be created. @pins must outlive @l. */
int load_place(struct load *l, const struct load_pins *pins, struct err *e);
/* The path of the pin of the @i-th program, in the keep; NULL: none. */
const char *load_prog_path(const struct load *l, const struct load_pins *pins, size_t i);
/* The pin of a map in a directory: its name with _ for dots. In @a. */
char *load_map_path(const char *dir, const struct bpf_map *m, struct arena *a);
/*
 * How an existing map differs from one of the file: "its type is array, the program needs hash", in @a; NULL: it does
 * not. The kernel does not compare them: a program may load even with a map of another type. @whole: also in what does
 * not matter to the program: max_entries and flags.
 */
struct abi_map_info;
const char *load_map_differs(const struct bpf_map *m, const struct abi_map_info *info, bool whole, struct arena *a);
/* Attach and pin what was loaded. */
int load_pin(struct load *l, struct err *e);
/* Note the prog_arrays that the kernel will empty, as it does when nothing outside of the kernel holds them. */
void load_slots_note(struct load *l);
/* Make load_close() keep what was done. */
static inline void load_keep(struct load *l)
{
	l->kept = true;
}
/* Undo all steps, the last first, unless load_keep() was called. Free everything. A struct load of zeros is valid. */
void load_close(struct load *l);

/*
 * Further steps. load_did(): note a step that was done and that @undo undoes; @ctx is valid until load_close().
 * load_may_*() check what the other functions do; @dir: the directory of @path, which may not exist yet, or NULL.
 */
void load_did(struct load *l, void (*undo)(const void *ctx), const void *ctx);
int load_may_dir(const struct load *l, const char *dir, struct err *e);
int load_may_pin(const struct load *l, const char *dir, const char *path, struct err *e);
int load_mount(struct load *l, const char *path, struct err *e); /* mount a bpffs for @path if there is none */
int load_dir(struct load *l, const char *dir, struct err *e);
int load_pin_fd(struct load *l, int fd, const char *path, struct err *e);

/*
 * Set type, attach type, flags and attach target of the programs to load whose sections the linked libbpf does not know
 * but kernel/hooks.c does. For an object that is open and not loaded. -ENOENT: a target is not in the kernel.
 */
int load_sections(struct bpf_object *obj, struct err *e);
struct secname_guess;
/* Will load_sections() set a function by its number in the running kernel, which another machine does not have? */
bool load_target_is_ours(const struct bpf_program *p);
void load_type_set(struct bpf_program *p, const struct secname_guess *as); /* as->hook is not NULL */

/*
 * Have libbpf make a program that loads an open object, instead of loading the object, with the types of the running
 * kernel. @obj owns the program's bytes. -ENOTSUP for an object with struct_ops. *ret_signature: in the arena; NULL
 * unless @opts asks for it.
 */
int loader_make(struct loader *ret, const struct loader_signature **ret_signature, struct bpf_object *obj,
		const struct loader_opts *opts, struct arena *a, struct err *e);
