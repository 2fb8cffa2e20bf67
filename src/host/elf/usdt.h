/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * USDT probes: instructions of a program or library that a note in its section .note.stapsdt describes, as
 * <sys/sdt.h> writes it (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). The file is not trusted,
 * of any class and byte order, and may change while it is read.
 */
struct usdt_probe {
	const char *provider, *name;
	const char *args;		      /* "-4@%edi 8@-16(%rbp)"; "": none */
	uint64_t address, offset;	      /* of the instruction, as linked; in the file */
	uint64_t semaphore, semaphore_offset; /* of its counter of users, the same; 0: it has none */
};
struct usdt_file {
	uint32_t machine; /* EM_ */
	uint32_t pointer; /* bytes of an address */
	bool big;	  /* byte order, as base/bytes.h */
	const struct usdt_probe *probes;
	size_t n;
	size_t outside; /* notes left out: their probe or semaphore is not in the file */
};
/*
 * In the arena, in the order of the notes; several may have one name, as code is inlined. 0 or -errno; -ENOEXEC: not an
 * ELF file; -ENODATA: without such a section; -EBADMSG: a note is damaged.
 */
int usdt_read(struct usdt_file *ret, int fd, struct arena *a);

/* An argument: how many bytes, of what kind, and where, in the words of the assembler: "%edi", "[sp, 60]". */
struct usdt_arg {
	uint32_t size; /* 0: not given, as wide as a register */
	bool is_signed, is_float;
	const char *where; /* NUL-terminated, in the arena */
};
/* Reads the next argument of *text, and moves it behind; false: there is none. */
bool usdt_arg_next(const char **text, struct usdt_arg *ret, struct arena *a);
