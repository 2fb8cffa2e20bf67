/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"
#include "kernel/loader.h"

struct env;
struct err;
struct arena;
struct str;
struct bpf_object;
struct bpf_program;
struct bpf_map;
struct bpf_link;
/*
 * An object file on its way into the kernel: opened, its programs chosen and set up, loaded, pinned. All or nothing:
 * what a step did is taken back by load_close(), unless load_keep() was reached.
 */

/* Say which programs are to be loaded, by bpf_program__set_autoload(): 0 or -errno with the sentence. None is fine. */
typedef int load_choose(void *ctx, struct bpf_object *obj, struct err *e);

/* Whether it is loaded by a program, and what that is signed with; of a command's options. */
struct loader_opts {
	bool use, sign;
	const char *key, *cert;
};
#define LOADER_ARGS(T, m, use_help) \
	{ .name = "--use-loader", \
	  .alias = "-L", \
	  .type = ARG_FLAG, \
	  .flags = ARG_EARLY, \
	  .off = offsetof(T, m.use), \
	  .help = use_help }, \
		{ .name = "--sign", \
		  .alias = "-S", \
		  .type = ARG_FLAG, \
		  .flags = ARG_EARLY, \
		  .off = offsetof(T, m.sign), \
		  .help = "sign that program (Linux 6.18), which implies -L" }, \
		{ .name = "--private-key", \
		  .alias = "-k", \
		  .metavar = "FILE", \
		  .type = ARG_PATH, \
		  .flags = ARG_EARLY, \
		  .off = offsetof(T, m.key), \
		  .help = "what it is signed with, PEM" }, \
	{ \
		.name = "--certificate", .alias = "-i", .metavar = "FILE", .type = ARG_PATH, .flags = ARG_EARLY, \
		.off = offsetof(T, m.cert), .help = "for whom it is signed: X.509, PEM or DER" \
	}
/* What belongs together, and what follows from one another; before they are used. */
int loader_opts_complete(struct loader_opts *o, struct err *e);

struct load_request {
	const char *path;
	const struct str *bytes; /* what is opened instead of the file, as long as the struct load; NULL: the file */
	const char *only;	 /* name of the one program to be loaded; NULL: all that load by themselves */
	bool maps_alone; /* nothing is wrong with a file of which no program is loaded, if it has maps; called bpftool,
			    in any case */
	load_choose *choose; /* instead of @only; or NULL */
	void *choose_ctx;
	const char
		*type; /* of all programs, a section name of libbpf's: "xdp", "cgroup/skb"; NULL: by their sections */
	const char *kernel_btf;	   /* types that it is fitted to; NULL: those of the running kernel */
	const char *dev;	   /* network device that programs run on and maps are in; NULL: the host */
	bool dev_bound;		   /* not on it: on the host, for packets of it */
	struct arg_list set;	   /* "limits.max=10": variables of its data sections */
	struct arg_list resize;	   /* "flows=64K": max_entries of its maps */
	struct arg_reuses reuse;   /* maps that are there, instead of its own */
	struct loader_opts loader; /* by a program that does it in the kernel, see loader_make() */
	bool relaxed_maps;	   /* take map definitions with members that libbpf does not know */
};

/* Where it is pinned, in a bpffs. */
struct load_pins {
	const char *path; /* of the first program; with @all a directory for all of them, by their names; NULL: none */
	bool all;
	const char *maps; /* directory for all maps, by their names with _ for dots; NULL: none */
	bool attach;	  /* programs that libbpf can attach by their sections: it is their links that are pinned */
};

/* A program of the file that is to be loaded. */
struct load_prog {
	struct bpf_program *prog;
	int fd;		       /* -1: not loaded yet; not the caller's */
	const char *log;       /* the verifier's; "": it was not asked, or said nothing. As long as the struct load */
	const char *pin;       /* path; NULL: none */
	struct bpf_link *link; /* NULL: not attached */
};
struct load_map {
	struct bpf_map *map;
	int fd;	  /* as of a program */
	bool was; /* it is there already, and pinned */
};
struct load_step {
	void (*undo)(const void *ctx);
	const void *ctx;
};
struct load {
	struct env *env;
	struct load_request q;
	struct bpf_object *obj;
	struct load_prog *progs;
	struct load_map *maps; /* all of the file, in its order */
	size_t nprogs, nmaps;
	char *logs; /* a mapping, log_size bytes for each program */
	size_t log_size;
	const struct load_pins *pins;
	struct load_step *steps; /* in the order in which they were done */
	size_t nsteps, steps_room;
	bool kept;
};
#define LOAD(l) __attribute__((cleanup(load_close))) struct load l = { 0 }

/* Open the file and set it up; nothing reaches the kernel. -ENOENT for names that it does not have, with those that it
 * has. */
int load_open(struct load *l, struct env *env, const struct load_request *q, struct err *e);
/* Load it. Why the verifier rejected a program is explained in env->report. */
int load_load(struct load *l, struct err *e);
/* Between the two: choose the paths, and refuse those that cannot be made. @pins must outlive @l. */
int load_place(struct load *l, const struct load_pins *pins, struct err *e);
/* Attach and pin what was loaded. */
int load_pin(struct load *l, struct err *e);
/* What was done stays. */
static inline void load_keep(struct load *l)
{
	l->kept = true;
}
/* Takes back everything that was not kept, the last step first. Does nothing to a struct load of zeros. */
void load_close(struct load *l);

/*
 * Steps of other sorts. load_did(): one was done that @undo takes back; @ctx is there until load_close(). The others
 * check, and do, what their names say; @dir: the directory of @path, which may be still to be made, or NULL.
 */
void load_did(struct load *l, void (*undo)(const void *ctx), const void *ctx);
int load_may_dir(const struct load *l, const char *dir, struct err *e);
int load_may_pin(const struct load *l, const char *dir, const char *path, struct err *e);
int load_mount(struct load *l, const char *path, struct err *e); /* a bpffs for @path, where none is yet */
int load_dir(struct load *l, const char *dir, struct err *e);
int load_pin_fd(struct load *l, int fd, const char *path, struct err *e);

/*
 * Have libbpf make of an object that is open, instead of loading it, a program that loads it, by the types of the
 * kernel that runs here. Its bytes are the object's. Of struct_ops it can make none. *ret_signature: NULL unless @opts
 * says so; in the arena.
 */
int loader_make(struct loader *ret, const struct loader_signature **ret_signature, struct bpf_object *obj,
		const struct loader_opts *opts, struct arena *a, struct err *e);

#endif
