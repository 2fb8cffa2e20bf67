/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_OWN_H
#define OWN_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/object.h"

struct str;
struct iter_walk;
/*
 * BPF programs of our own. A reading command never depends on one: it is loaded by a child process with a time limit,
 * and whoever asked goes on with the next best source. What was loaded is kept in mind, so that our lists leave it out.
 */
struct own_object {
	enum object_kind kind;
	uint32_t id;
	uint32_t func; /* of a program: type number of the function that it is for; 0: for none */
};
struct own {
	bool never;		/* --no-load: everything is refused with -ECANCELED */
	bool debug;		/* say on standard error what is loaded, and what is not and why */
	int error;		/* no answer came in time: the same for all that come later; else 0 */
	struct own_object *all; /* what was loaded or made */
	size_t n, cap;
};
void own_release(struct own *own);
/* Was it made by us? */
bool own_has(const struct own *own, enum object_kind kind, uint32_t id);

/* One program, as it is compiled from NAME.bpf.c and embedded. */
struct own_program {
	const char *name;
	const unsigned char *elf;
	size_t size;
};
#define OWN_PROGRAM(bytes) \
	{ \
		.name = #bytes, .elf = (bytes), .size = sizeof(bytes) \
	}
/* Values of "const volatile __u32 NAME" in it. */
struct own_const {
	const char *name; /* NULL ends */
	uint32_t v;
};

/* A map that takes the place of one that the program declares. */
struct own_map {
	const char *name; /* NULL: whatever its name is */
	int fd;		  /* -1 ends */
};

/* What is loaded of a program. Zeroed is closed. */
struct own_loaded {
	bool open;
	int prog, rodata, bss, btf; /* descriptors; -1: it has none */
	void *shared;		    /* its variables (.bss), which both sides may change; NULL: it has none */
	size_t shared_size;
	uint32_t prog_id;
};
/*
 * Load. @map_fd takes the place of the map that it declares, and need not stay open; -1: it declares none. @consts may
 * be NULL. 0, or -errno with nothing loaded: -ECANCELED: not allowed; -ETIME: the kernel does not answer; -ENOENT: it
 * lacks what the program needs; -EPERM; and others.
 */
int own_load(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
	     struct own_loaded *ret);
/* The same with several maps, of @maps at most OWN_MAPS; @limit: milliseconds that it may take. */
#define OWN_MAPS 8
int own_load_with(struct own *own, const struct own_program *p, const struct own_const *consts,
		  const struct own_map *maps, int limit, struct own_loaded *ret);
/* A program of section "fentry" or "fexit" at the beginning or end of each run of another one; otherwise as
 * own_load_with(). */
struct own_target {
	int fd;	       /* of that program */
	uint32_t func; /* its function, in its BTF */
};
int own_load_at(struct own *own, const struct own_program *p, const struct own_const *consts,
		const struct own_map *maps, const struct own_target *at, struct own_loaded *ret);
/* Attach what was loaded so, until the descriptor that is returned is closed. Or -errno. */
int own_attach(struct own *own, const struct own_loaded *l);
void own_close(struct own_loaded *l);
#define OWN_LOADED __attribute__((cleanup(own_close))) struct own_loaded
/* Run a program that is attached to nothing, with @ctx, which may be NULL. 0 or -errno; *ret_value, which may be NULL:
 * what it returned. */
int own_run(const struct own_loaded *l, void *ctx, uint32_t ctx_size, int *ret_value);
/* Attach an iterator and append all that it writes in one walk, NULL: of everything. 0 or -errno, then @ret is as
 * before. */
int own_walk(struct own *own, const struct own_loaded *l, const struct iter_walk *w, struct str *ret);
/* All of it: load, walk, close. */
int own_iter(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
	     const struct iter_walk *w, struct str *ret);
/* The record of @size bytes at *at in what an iterator wrote, and *at is behind it; false: no whole one is left. */
bool own_record(const struct str *s, size_t *at, void *ret, size_t size);

/* A map for programs of ours, noted. A descriptor or -errno. */
struct own_map_wish {
	const char *name;
	uint32_t type, key_size, value_size, entries, flags;
};
int own_map(struct own *own, const struct own_map_wish *wish);

/* Is it the kernel's name for the code that calls a program of ours from a function? */
bool own_trampoline(const struct own *own, const char *symbol);

/* Keep in mind that the object behind @fd is ours. 0 or -errno. */
int own_note(struct own *own, enum object_kind kind, int fd);

#endif
