/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <linux/bpf.h>

#include "base/base.h"

/*
 * The object file of one of our programs: one program section ("iter/NAME", "fentry/NAME", "kprobe/NAME",
 * "raw_tp/NAME", "test_run", "syscall"), the functions in .text that it calls, constants in .rodata, variables in .bss,
 * and declarations in .maps of maps that the caller creates. Files are trusted, because they are compiled together with
 * bpflens. libbpf is not used, because it would read all types of the kernel and load its own programs to probe the
 * kernel.
 */
struct image_part {
	size_t section; /* 0: the file does not have it */
	void *p;
	size_t size;
};

#define IMAGE_FUNCS 4
struct image {
	void *elf; /* libelf's */
	const void *file;
	size_t file_size;
	const char *section; /* name of the program's section */
	const char *name;    /* name of the program's function */
	struct image_part prog, text, rodata, bss, maps, symbols, ext;
	size_t names;		/* index of the section with the symbols' names */
	struct bpf_insn *insns; /* of prog, then of text; owned */
	size_t n;
	unsigned char *constants; /* copy of .rodata; owned */
	int target;		  /* "iter/NAME", "fentry/NAME": type id of the function bpf_iter_NAME, NAME */
	struct {		  /* kernel functions that it calls; id -1: this kernel does not have it */
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

/*
 * Open @file, and set all offsets from the running kernel's BTF, @kernel (kbtf_ask_in()). 0 or -errno; call
 * image_close() in both cases.
 */
struct kbtf;
int image_open(struct image *im, const void *file, size_t size, struct kbtf *kernel);
void image_close(struct image *im);
#define IMAGE __attribute__((cleanup(image_close))) struct image
/* Set the constant of four bytes that has this name. 0 or -ENOENT. */
int image_set(struct image *im, const char *name, uint32_t v);
/* The instructions of the function with this name in the program's section; NULL: there is none. */
const struct bpf_insn *image_code(const struct image *im, const char *name, size_t *ret_n);
/* Complete the instructions. 0 or -errno. */
int image_link(struct image *im, const struct image_fds *fds);
/*
 * What the kernel needs to know about functions that are called by address: BTF as bytes, and struct bpf_func_info[];
 * the caller frees both with free(). *ret_n is 0 if there are no such functions. 0 or -errno.
 */
int image_funcs(const struct image *im, void **ret_btf, size_t *ret_btf_size, struct bpf_func_info **ret,
		uint32_t *ret_n);
