/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/object.h"
#include "own/kbtf.h"

struct str;
struct iter_walk;
/*
 * BPF programs of our own. A reading command never depends on one: a child process loads it within a time limit, and if
 * that fails, the caller uses the next best source. What was loaded is noted, so that our lists leave it out.
 */
struct own_kept;
struct own_files;
struct own_object {
	enum object_kind kind;
	uint32_t id;
	uint32_t func; /* for a program: type id of the function that it attaches to; 0: none */
};
struct own {
	bool never;	       /* --no-load: all loads fail with -ECANCELED */
	bool debug;	       /* report on standard error what is loaded, and what is not and why */
	bool keep;	       /* iterators stay loaded, for the next own_iter() of this process or a child of it */
	int error;	       /* not 0: the kernel did not answer in time, and later loads fail with the same error */
	struct own_kept *kept; /* linked list */
	struct own_files *files; /* own/files.h; NULL: none */
	struct kbtf kernel;	 /* its types, until own_prune(), if a program needed them */
	const void *types_of;	 /* the file of the last program with types; NULL: none */
	int types;		 /* their descriptor: when it is loaded again, they are not */
	struct own_object *all;	 /* what was loaded or created */
	size_t n, cap;
};
void own_release(struct own *own);
/* Forget those that no longer exist, for a command that goes on for a long time. */
void own_prune(struct own *own);
/* Note what @with has noted, too. */
void own_add(struct own *own, const struct own *with);
/* Was it made by us? */
bool own_has(const struct own *own, enum object_kind kind, uint32_t id);

/* One program, compiled from NAME.bpf.c and embedded: OWN_PROGRAM(NAME) after #include "own/FOLDER/NAME.bpf.inc". */
struct own_program {
	const char *name;
	const unsigned char *elf;
	size_t size;
};
#define OWN_PROGRAM(nm) \
	{ \
		.name = #nm, .elf = elf_##nm, .size = sizeof(elf_##nm) \
	}
/* Values of "const volatile __u32 NAME" in it. */
struct own_const {
	const char *name; /* NULL: end of the list */
	uint32_t v;
};

/* A map to use for one that the program declares. */
struct own_map {
	const char *name; /* name in the program; NULL: any */
	int fd;		  /* -1: end of the list */
};

/* A loaded program. A zeroed struct is closed. */
struct own_loaded {
	bool open;
	int prog, rodata, bss, btf; /* descriptors; -1: none */
	void *shared;		    /* its variables (.bss), shared with the program; NULL: none */
	size_t shared_size;
	uint32_t prog_id;
};
/*
 * Load a program. @map_fd is used for the map that it declares, and may be closed afterwards; -1: it declares none.
 * @consts may be NULL. 0, or -errno with nothing loaded: -ECANCELED: not allowed; -ETIME: the kernel does not answer;
 * -ENOENT: the kernel does not have what the program needs; -EPERM; and others.
 */
int own_load(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
	     struct own_loaded *ret);
/* The same with several maps, at most OWN_MAPS; @limit: time limit in milliseconds. */
#define OWN_MAPS 8
int own_load_with(struct own *own, const struct own_program *p, const struct own_const *consts,
		  const struct own_map *maps, int limit, struct own_loaded *ret);
/* Load a program of section "fentry" or "fexit" for the beginning or end of each run of another program; otherwise as
 * own_load_with(). */
struct own_target {
	int fd;	       /* of the other program */
	uint32_t func; /* type id of its function, in its BTF */
};
int own_load_at(struct own *own, const struct own_program *p, const struct own_const *consts,
		const struct own_map *maps, const struct own_target *at, struct own_loaded *ret);
/* Attach a program that own_load_at() loaded. Returns a descriptor, which keeps it attached until it is closed, or
 * -errno. */
int own_attach(struct own *own, const struct own_loaded *l);
void own_close(struct own_loaded *l);
#define OWN_LOADED __attribute__((cleanup(own_close))) struct own_loaded
/* Run a program without attaching it, with context @ctx, which may be NULL. 0 or -errno. *ret_value is set to the
 * program's return value; @ret_value may be NULL. */
int own_run(const struct own_loaded *l, void *ctx, uint32_t ctx_size, int *ret_value);
/* Load an iterator and attach it. A link's descriptor, which is enough to walk again, or -errno. */
int own_iter_open(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		  const struct iter_walk *w);
/* Load, walk and close; with own->keep, one that walks all objects is not closed before own_release(). */
int own_iter(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
	     const struct iter_walk *w, struct str *ret);
/* Copy the record of @size bytes at *at of an iterator's output, and move *at after it. False: no complete record is
 * left. */
bool own_record(const struct str *s, size_t *at, void *ret, size_t size);

/* Create a map for our programs, and note it. A descriptor or -errno. */
struct own_map_wish {
	const char *name;
	uint32_t type, key_size, value_size, entries, flags;
};
int own_map(struct own *own, const struct own_map_wish *wish);

/* Is @symbol the kernel's name of the code that calls one of our programs from a function? */
bool own_trampoline(const struct own *own, const char *symbol);

/* Note that the object of @fd is ours. 0 or -errno. */
int own_note(struct own *own, enum object_kind kind, int fd);
