/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_IMAGE_H
#define OWN_IMAGE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The object file of one of our programs: one program section ("iter/NAME", "fentry/NAME", "kprobe/NAME",
 * "raw_tp/NAME", "test_run", "syscall"), the functions in .text that it calls, constants in .rodata, variables in .bss,
 * maps in .maps that somebody else made. Files are trusted: they were compiled with us. libbpf would read all types of
 * the kernel and load programs of its own to try the kernel out.
 */
struct image_part {
	size_t section; /* 0: there is none */
	void *p;
	size_t size;
};

#define IMAGE_FUNCS 4
struct image {
	void *elf; /* libelf's */
	const void *file;
	size_t file_size;
	const char *section; /* of the program */
	const char *name;    /* of its function */
	struct image_part prog, text, rodata, bss, maps, symbols, ext;
	size_t names;		/* section of the symbols' names */
	struct bpf_insn *insns; /* of prog, then of text; ours */
	size_t n;
	unsigned char *constants; /* .rodata; ours */
	int target;		  /* "iter/NAME", "fentry/NAME": type id of the function bpf_iter_NAME, NAME */
	struct {		  /* of the kernel, that it calls; id -1: this kernel does not have it */
		const char *name;
		int id;
	} func[IMAGE_FUNCS];
	unsigned nfuncs;
};

/* Descriptors that instructions refer to; -1: none */
struct own_map;
struct image_fds {
	int rodata, bss;
	const struct own_map *maps; /* own.h */
};

/* 0 or -errno; image_close() in both cases. Takes all offsets from the running kernel's BTF. */
int image_open(struct image *im, const void *file, size_t size);
void image_close(struct image *im);
#define IMAGE __attribute__((cleanup(image_close))) struct image
/* Set a constant of four bytes. 0; -ENOENT: there is none of that name. */
int image_set(struct image *im, const char *name, uint32_t v);
/* The instructions of one function among several in the program's section; NULL: there is none of that name. */
const struct bpf_insn *image_code(const struct image *im, const char *name, size_t *ret_n);
/* Complete the instructions. 0 or -errno. */
int image_link(struct image *im, const struct image_fds *fds);
/*
 * What the kernel wants to know of functions that are called by address: BTF as bytes, and struct bpf_func_info[], all
 * for free(). *ret_n is 0 where there are no such functions.
 */
int image_funcs(const struct image *im, void **ret_btf, size_t *ret_btf_size, struct bpf_func_info **ret,
		uint32_t *ret_n);

#endif
